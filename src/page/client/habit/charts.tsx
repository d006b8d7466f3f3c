import type { TargetedPointerEvent } from 'preact';
import { useState } from 'preact/hooks';
import type { HabitDay, Statistics, Target, Task } from '../sync/types.js';
import { later, nameOf, shortDate, shortName } from '../today/days.js';
import { exact, progressOf, type Standing } from '../today/standing.js';
import { allowsNone, isLimit } from '../today/target.js';
import { t } from '../ui/language.js';
import { weekdaysInWords } from './summaries.js';

interface Bar {
  label: string;
  short: string;
  value: number;
  /** What was asked for; 0: nothing. */
  of: number;
  words: string;
}

interface ChartProps {
  title: string;
  /** What it shows, in a sentence. */
  sentence: string;
  bars: readonly Bar[];
  /** Whether there should be none. */
  isSlip?: boolean;
}

const SLOT = 10;
const HEIGHT = 60;

/** A sentence, a picture, and the same as a table for those who do not see it. A touch tells the value of a bar. */
function Chart({ title, sentence, bars, isSlip }: ChartProps) {
  const [at, setAt] = useState<number>();
  const most = Math.max(1, ...bars.flatMap(({ value, of }) => [value, of]));
  const rect = (value: number, index: number, kind: string) => {
    const height = (value / most) * HEIGHT;
    const place = { x: index * SLOT + 1.5, y: HEIGHT - height, width: SLOT - 3, height };
    return <rect key={`${kind}${index}`} class={kind} {...place} />;
  };
  const ends = bars.some(({ label, short }) => label !== short) ? bars : new Set([bars[0], bars.at(-1)]);
  const point = ({ currentTarget, clientX }: TargetedPointerEvent<SVGSVGElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setAt(Math.max(0, Math.min(bars.length - 1, Math.floor(((clientX - left) / width) * bars.length))));
  };
  const shown = at !== undefined && bars[at];
  return (
    <figure class={isSlip ? 'chart is-exceeded' : 'chart'}>
      <figcaption>
        <h3>{title}</h3>
        <p class="about">{shown ? t.said(shown.label, shown.words) : sentence}</p>
      </figcaption>
      <div class="plot" style={{ '--bars': bars.length }}>
        <svg
          viewBox={`0 0 ${bars.length * SLOT} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          onPointerMove={point}
          onPointerDown={point}
        >
          {[0, 0.5, 1].map((share) => (
            <line key={share} x1="0" x2={bars.length * SLOT} y1={share * HEIGHT} y2={share * HEIGHT} />
          ))}
          {bars.map(({ of }, index) => rect(of, index, 'asked'))}
          {bars.map(({ value }, index) => rect(value, index, 'done'))}
        </svg>
        <span class="most about" aria-hidden="true">
          {t.number(most)}
        </span>
        <p class="ends about" aria-hidden="true">
          {[...ends].map((bar) => bar && <span key={bar.label}>{bar.short}</span>)}
        </p>
      </div>
      <div class="hidden">
        <table>
          <caption>{title}</caption>
          <tbody>
            {bars.map(({ label, words }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td>{words}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

/** From the first one on that tells something: before, the habit was not there. */
function fromTheFirst<Value>(all: readonly Value[], tells: (value: Value) => boolean): readonly Value[] {
  const first = all.findIndex(tells);
  return first < 0 ? all.slice(-1) : all.slice(first);
}

/** Nothing was asked of a day before the habit was made, or of one at rest: more may be kept than was asked for. */
const daysOf = (kept: number, due: number) => t.habit.daysOf(kept, kept > due ? 0 : due);

const inAll = (values: readonly number[], inWords: (sum: number) => string): string =>
  t.habit.inAll(inWords(exact(values.reduce((sum, value) => sum + value, 0))));

interface WeeksProps {
  statistics: Statistics;
  task: Task;
  /** The first day of this week. What was kept for offline may end before it. */
  thisWeek: string;
  standing: Standing;
}

export const KeptPerWeek = ({ statistics, task, thisWeek, standing }: WeeksProps) => (
  <Chart
    title={t.habit.perWeek}
    sentence={inAll(
      statistics.by.map(({ keptCount }) => keptCount),
      task.target?.per === 'WEEK' ? t.runs.WEEKS : t.days,
    )}
    bars={fromTheFirst(statistics.by, ({ keptCount, dueCount }) => keptCount + dueCount > 0).map(
      ({ from, keptCount: kept, dueCount: due }) => ({
        label: shortDate(from),
        short: shortDate(from),
        ...(task.target?.per === 'WEEK'
          ? asWhole(task, kept, due, from === thisWeek && standing)
          : { value: kept, of: due, words: daysOf(kept, due) }),
      }),
    )}
  />
);

/** A week that is kept or not as a whole. Nothing is asked of one that was passed over; this one is on its way. */
function asWhole(
  task: Task,
  kept: number,
  due: number,
  standing: Standing | false,
): Omit<Bar, 'label' | 'short'> {
  const bar = { value: kept, of: due };
  if (kept > 0) return { ...bar, words: t.states.KEPT };
  if (due > 0) return { ...bar, words: isLimit(task) ? t.states.EXCEEDED : t.states.MISSED };
  if (!standing) return { ...bar, words: t.states.REST };
  const words = progressOf(task, standing);
  return isLimit(task) ? { ...bar, words } : { value: standing.share, of: 1, words };
}

export const KeptByWeekday = ({ statistics }: { statistics: Statistics }) => (
  <Chart
    title={t.habit.byWeekday}
    sentence={
      weekdaysInWords(statistics.byWeekday) ||
      inAll(
        statistics.byWeekday.map(({ keptCount }) => keptCount),
        t.days,
      )
    }
    bars={statistics.byWeekday.map(({ weekday, keptCount: kept, dueCount: due }) => ({
      label: nameOf(weekday),
      short: shortName(weekday),
      value: kept,
      of: due,
      words: daysOf(kept, due),
    }))}
  />
);

const DAYS_SHOWN = 30;

interface AmountProps {
  days: readonly HabitDay[];
  target: Target;
  today: string;
}

export function AmountPerDay({ days, target, today }: AmountProps) {
  const shown = days.filter(({ date }) => later(today, -DAYS_SHOWN) < date && date <= today);
  return (
    <Chart
      title={t.habit.amounts(target.unit)}
      sentence={inAll(
        shown.map(({ amount }) => amount ?? 0),
        (sum) => t.habit.valueOf(sum, 0, target.unit),
      )}
      isSlip={allowsNone({ target })}
      bars={fromTheFirst(shown, ({ state, amount }) => state !== 'REST' || Boolean(amount)).map(
        ({ date, amount: done }) => {
          const amount = done ?? 0;
          const of = target.per === 'DAY' ? target.amount : 0;
          const label = shortDate(date);
          return { label, short: label, value: amount, of, words: t.habit.valueOf(amount, of, target.unit) };
        },
      )}
    />
  );
}
