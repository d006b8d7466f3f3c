import './heatmap.css';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { dateOf, dayByKey } from './day-keys.js';
import { nameOf, shortName, weekFrom } from './days.js';
import { t } from './language.js';
import type { User, Weekday } from './types.js';
import { firstOf, monthsOf, mostOf, stepOf, summaryOf, type Week, weeksOf, wordsOf, yearOf } from './year.js';

const STEPS: Record<string, number> = { ArrowLeft: -7, ArrowRight: 7, ArrowUp: -1, ArrowDown: 1 };

/** A year of days. The whole table is one stop of the Tab key; arrows go from day to day. */
export function Heatmap({ user: { calendar, today, streak, points, weekStartsOn } }: { user: User }) {
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
    () => (
      <Rows weeks={weeksOf(year, weekStartsOn)} first={weekStartsOn} most={mostOf(year)} current={current} />
    ),
    [year, weekStartsOn, current],
  );
  return (
    <section class="card year" aria-label={t.year.title}>
      <h2>{t.year.title}</h2>
      <p>
        {t.year.summary(streak.count, streak.longest, points)} {summaryOf(year)}
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

interface RowsProps {
  weeks: Week[];
  first: Weekday;
  most: number;
  current: string;
}

const Rows = ({ weeks, first, most, current }: RowsProps) => (
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
