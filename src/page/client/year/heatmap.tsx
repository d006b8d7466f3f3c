import './heatmap.css';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { askOrKept } from '../sync/api.js';
import { knownIn, type State } from '../sync/store.js';
import type { Day, Screen, Weekday } from '../sync/types.js';
import { nameOf, shortName, weekFrom, weekUpTo } from '../today/days.js';
import { countsByDay } from '../today/items.js';
import { useAfterTaps, useAnswer } from '../ui/answer.js';
import { dateOf, dayByKey } from '../ui/day-keys.js';
import { t } from '../ui/language.js';
import { firstOf, monthsOf, stepOf, summaryOf, type Week, weeksOf, wordsOf, yearOf } from './year.js';
import { YEAR } from './year-documents.js';

const STEPS: Record<string, number> = { ArrowLeft: -7, ArrowRight: 7, ArrowUp: -1, ArrowDown: 1 };

interface YearProps {
  state: State;
  screen: Screen;
}

/** A year of days. The whole table is one stop of the Tab key; arrows go from day to day. */
export function Heatmap({ state, screen }: YearProps) {
  const { today, streak, weekStartsOn } = screen.user;
  const [date, setDate] = useState<string>();
  const section = useRef<HTMLElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => frame.current?.scrollTo({ left: frame.current.scrollWidth }), []);
  const { year, isTold } = useYear(state, screen, section);
  const shown = year.find((day) => day.date === date) ?? year.at(-1);
  const current = shown?.date ?? today;

  const press = (event: KeyboardEvent) => {
    const next = dayByKey(
      event,
      year.map((day) => day.date),
      STEPS,
    );
    if (next) setDate(next);
  };
  const point = ({ target }: Event) => setDate(dateOf(target) ?? current);

  // It is as large as all the rest together: the same as before where nothing of it has changed.
  const rows = useMemo(
    () => <Rows weeks={weeksOf(year, weekStartsOn)} first={weekStartsOn} current={current} />,
    [year, weekStartsOn, current],
  );
  return (
    <section class="card year" aria-label={t.year.title} ref={section}>
      <h2>{t.year.title}</h2>
      <p>
        {t.year.summary(streak.count, streak.longest)} {isTold && summaryOf(year)}
      </p>
      <div class="heatmap-frame" ref={frame}>
        <table class="heatmap" onKeyDown={press} onPointerOver={point} onClick={point}>
          <caption class="hidden">{t.year.caption}</caption>
          {rows}
        </table>
      </div>
      <p class="about day-shown" aria-hidden="true">
        {shown && wordsOf(shown)}
      </p>
    </section>
  );
}

/** What the service said when the year was seen, and as it is on this device in the last days. */
function useYear(state: State, screen: Screen, section: { readonly current: HTMLElement | null }) {
  const { user, tasks } = screen;
  const { today } = user;
  const isSeen = useSeen(section);
  const plans = JSON.stringify(tasks.map(({ id, schedule, target }) => [id, schedule, target]));
  const [told] = useAnswer(() => (isSeen ? readYear(user.id) : nothingYet), `${isSeen} ${today} ${plans}`);
  const near = useAfterTaps(
    JSON.stringify(
      countsByDay(screen, weekUpTo(today), knownIn(state, screen)).map(({ date, asked, done }) => ({
        date,
        dueCount: asked,
        keptCount: done,
      })),
    ),
  );
  const year = useMemo(() => yearOf(today, told ?? [], JSON.parse(near) as Day[]), [today, told, near]);
  return { year, isTold: told !== undefined };
}

const nothingYet = Promise.resolve(undefined);

const readYear = (userId: string) =>
  askOrKept(userId, 'year', YEAR, ({ me }: { me: { calendar: Day[] } }) => me.calendar);

function useSeen(section: { readonly current: HTMLElement | null }): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
    });
    if (section.current) observer.observe(section.current);
    return () => observer.disconnect();
  }, [section]);
  return isSeen;
}

interface RowsProps {
  weeks: Week[];
  first: Weekday;
  current: string;
}

const Rows = ({ weeks, first, current }: RowsProps) => (
  <>
    <thead>
      <tr>
        <td />
        {monthsOf(weeks).map(({ name, first: day, weeks: count }) => (
          <th key={day} scope="colgroup" colSpan={count}>
            {count > 2 ? name : <span class="hidden">{name}</span>}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {weekFrom(first).map((name, weekday) => (
        <tr key={name}>
          <th scope="row">
            <span aria-hidden="true">{weekday % 2 === 0 ? shortName(name) : ''}</span>
            <span class="hidden">{nameOf(name)}</span>
          </th>
          {weeks.map((week) => {
            const day = week[weekday];
            if (!day) return <td key={firstOf(week)} />;
            return (
              <td
                key={firstOf(week)}
                class={`step-${stepOf(day)}`}
                data-date={day.date}
                tabIndex={day.date === current ? 0 : -1}
              >
                <span class="hidden">{wordsOf(day)}</span>
              </td>
            );
          })}
        </tr>
      ))}
    </tbody>
  </>
);
