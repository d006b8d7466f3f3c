import './heatmap.css';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { dateOf, dayByKey } from './day-keys.js';
import { inDays, WEEKDAYS } from './days.js';
import type { User } from './types.js';
import { firstOf, monthsOf, mostOf, stepOf, summaryOf, type Week, weeksOf, wordsOf, yearOf } from './year.js';

const STEPS: Record<string, number> = { ArrowLeft: -7, ArrowRight: 7, ArrowUp: -1, ArrowDown: 1 };

/** A year of days. The whole table is one stop of the Tab key; arrows go from day to day. */
export function Heatmap({ user: { calendar, today, streak, points } }: { user: User }) {
  const [date, setDate] = useState<string>();
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => frame.current?.scrollTo({ left: frame.current.scrollWidth }), []);
  const year = useMemo(() => yearOf(calendar, today), [calendar, today]);
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
    () => <Rows weeks={weeksOf(year)} most={mostOf(year)} current={current} />,
    [year, current],
  );
  return (
    <section class="card year" aria-label="The year">
      <h2>The year</h2>
      <p>
        {inDays(streak.count)} in a row, the longest run {inDays(streak.longest)},{' '}
        {points.toLocaleString('en')} points. {summaryOf(year)}
      </p>
      <div class="heatmap-frame" ref={frame}>
        <table class="heatmap" onKeyDown={press} onPointerOver={point} onClick={point}>
          <caption class="hidden">Completions on each day of the last year</caption>
          {rows}
        </table>
      </div>
      <p class="about day-shown" aria-hidden="true">
        {shown && wordsOf(shown)}
      </p>
    </section>
  );
}

const Rows = ({ weeks, most, current }: { weeks: Week[]; most: number; current: string }) => (
  <>
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
    <tbody>
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
    </tbody>
  </>
);
