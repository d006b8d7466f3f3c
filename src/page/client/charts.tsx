import { later, nameOf, shortDate, shortName } from './days.js';
import { t } from './language.js';
import type { HabitDay, Statistics, Target } from './types.js';

interface Bar {
  label: string;
  short: string;
  value: number;
  /** What was asked for; 0: nothing. */
  of: number;
}

interface ChartProps {
  title: string;
  /** What is counted. */
  unit: string;
  bars: readonly Bar[];
}

const SLOT = 10;
const HEIGHT = 60;

/** A picture, and the same as a table for those who do not see it. */
function Chart({ title, unit, bars }: ChartProps) {
  const most = Math.max(1, ...bars.flatMap(({ value, of }) => [value, of]));
  const rect = (value: number, index: number, kind: string) => {
    const height = (value / most) * HEIGHT;
    const place = { x: index * SLOT + 1.5, y: HEIGHT - height, width: SLOT - 3, height };
    return <rect key={`${kind}${index}`} class={kind} {...place} />;
  };
  const ends = bars.length > 7 ? [bars[0], bars.at(-1)] : bars;
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
      </figcaption>
      <svg viewBox={`0 0 ${bars.length * SLOT} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {bars.map(({ of }, index) => rect(of, index, 'asked'))}
        {bars.map(({ value }, index) => rect(value, index, 'done'))}
      </svg>
      <p class="ends about" aria-hidden="true">
        {ends.map((bar) => bar && <span key={bar.label}>{bar.short}</span>)}
      </p>
      <div class="hidden">
        <table>
          <caption>{title}</caption>
          <tbody>
            {bars.map(({ label, value, of }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td>{t.habit.valueOf(value, of, unit)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

export const KeptPerWeek = ({ statistics }: { statistics: Statistics }) => (
  <Chart
    title={t.habit.perWeek}
    unit={t.habit.daysUnit}
    bars={statistics.by.map(({ from, kept, due }) => ({
      label: shortDate(from),
      short: shortDate(from),
      value: kept,
      of: due,
    }))}
  />
);

export const KeptByWeekday = ({ statistics }: { statistics: Statistics }) => (
  <Chart
    title={t.habit.byWeekday}
    unit={t.habit.daysUnit}
    bars={statistics.byWeekday.map(({ weekday, kept, due }) => ({
      label: nameOf(weekday),
      short: shortName(weekday),
      value: kept,
      of: due,
    }))}
  />
);

const DAYS_SHOWN = 30;

interface AmountProps {
  days: readonly HabitDay[];
  target: Target;
  today: string;
}

export const AmountPerDay = ({ days, target, today }: AmountProps) => (
  <Chart
    title={t.habit.amounts(target.unit, DAYS_SHOWN)}
    unit={target.unit}
    bars={days
      .filter(({ date }) => later(today, -DAYS_SHOWN) < date && date <= today)
      .map(({ date, amount }) => ({
        label: shortDate(date),
        short: shortDate(date),
        value: amount,
        of: target.amount,
      }))}
  />
);
