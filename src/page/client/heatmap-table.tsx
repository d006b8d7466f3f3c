import type { Description } from './draw.js';
import {
  firstOf,
  monthsOf,
  mostOf,
  stepOf,
  summaryOf,
  WEEKDAYS,
  type Week,
  weeksOf,
  wordsOf,
  yearOf,
} from './heatmap.js';
import { get, set } from './store.js';
import type { Day, User } from './types.js';

interface Props {
  user: User;
  /** The one that is looked at. */
  day: string | null;
}

/** A year of days. The whole table is one stop of the Tab key; arrows go from day to day. */
export function Heatmap({ user: { calendar, today }, day }: Props) {
  const year = yearOf(calendar, today);
  const shown = year.find(({ date }) => date === day) ?? year.at(-1);
  return (
    <section class="card year" aria-label="The year">
      <h2>The year</h2>
      <p>{summaryOf(year)}</p>
      <div class="heatmap-frame" ref={(frame: HTMLElement) => frame.scrollTo({ left: frame.scrollWidth })}>
        {table(calendar, today, shown?.date ?? today)}
      </div>
      <p class="about day-shown" aria-hidden="true">
        {shown && wordsOf(shown)}
      </p>
    </section>
  );
}

let latest: { calendar: Day[]; today: string; current: string; table: Description } | undefined;

/** The same as before where nothing has changed: it is as large as all the rest together. */
function table(calendar: Day[], today: string, current: string): Description {
  const isSame = latest?.calendar === calendar && latest.today === today && latest.current === current;
  if (isSame && latest) return latest.table;
  latest = {
    calendar,
    today,
    current,
    table: Table({ year: yearOf(calendar, today), current }) as Description,
  };
  return latest.table;
}

const STEPS: Record<string, number> = { ArrowLeft: -7, ArrowRight: 7, ArrowUp: -1, ArrowDown: 1 };

function press(event: KeyboardEvent): void {
  const cells = [...document.querySelectorAll<HTMLElement>('.heatmap [data-date]')];
  const dates = cells.map(({ dataset }) => dataset.date ?? '').sort();
  const at = dates.indexOf((event.target as HTMLElement).dataset.date ?? '');
  const ends: Record<string, number> = { Home: 0, End: dates.length - 1 };
  const date = dates[ends[event.key] ?? at + (STEPS[event.key] ?? Number.NaN)];
  if (!(event.key in STEPS) && !(event.key in ends)) return;
  event.preventDefault();
  if (!date) return;
  set({ day: date });
  cells.find(({ dataset }) => dataset.date === date)?.focus();
}

function point({ target }: Event): void {
  const date = (target as Element).closest<HTMLElement>('[data-date]')?.dataset.date;
  if (date && date !== get().day) set({ day: date });
}

const Table = ({ year, current }: { year: Day[]; current: string }) => {
  const weeks = weeksOf(year);
  return (
    <table class="heatmap" onKeyDown={press} onPointerOver={point} onClick={point}>
      <caption class="hidden">Completions on each day of the last year</caption>
      <Months weeks={weeks} />
      <tbody>
        <Rows weeks={weeks} most={mostOf(year)} current={current} />
      </tbody>
    </table>
  );
};

const Months = ({ weeks }: { weeks: Week[] }) => (
  <thead>
    <tr>
      <td />
      {monthsOf(weeks).map(({ name, first, weeks: count }) => (
        <th key={first} scope="colgroup" colSpan={count}>
          {count > 2 ? name : <span class="hidden">{name}</span>}
        </th>
      ))}
    </tr>
  </thead>
);

const Rows = ({ weeks, most, current }: { weeks: Week[]; most: number; current: string }) => (
  <>
    {WEEKDAYS.map((name, weekday) => (
      <tr key={name}>
        <th scope="row">
          <span aria-hidden="true">{weekday % 2 === 0 ? name.slice(0, 3) : ''}</span>
          <span class="hidden">{name}</span>
        </th>
        {weeks.map((week) => {
          const day = week[weekday];
          if (!day) return <td key={firstOf(week)} />;
          return (
            <td
              key={firstOf(week)}
              class={`step-${stepOf(day.completions, most)}`}
              data-date={day.date}
              tabIndex={day.date === current ? 0 : -1}
            >
              <span class="hidden">{wordsOf(day)}</span>
            </td>
          );
        })}
      </tr>
    ))}
  </>
);
