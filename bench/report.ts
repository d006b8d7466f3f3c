import { besideBaseline, storm } from './contests.ts';
import { type Cost, totalOf } from './cost.ts';
import { median, table } from './figures.ts';

export interface Measured {
  name: string;
  /** A cost for each round. */
  base: Cost[];
  subject: Cost[];
}

const shown = (value: number) => value.toFixed(value < 0.9995 ? 3 : value < 10 ? 2 : 0);
const range = (values: number[]) => {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least === most ? '' : ` (${shown(least)}–${shown(most)})`;
};
const middle = (costs: Cost[], read: (cost: Cost) => number) => shown(median(costs.map(read)));

/** Of each pair of rounds: what the one took over what the other took. */
const ratios = (over: Cost[], under: Cost[], read: (cost: Cost) => number) =>
  over.map((cost, at) => read(cost) / read(under[at] ?? cost));

export function report(found: Measured[]): void {
  const rows = found
    .filter(({ name }) => besideBaseline.some((contest) => contest.name === name))
    .map(({ name, base, subject }) => {
      const ratio = ratios(base, subject, totalOf);
      const cpu = (costs: Cost[]) =>
        costs.some(({ database }) => database > 0)
          ? `${middle(costs, ({ node }) => node)} + ${middle(costs, ({ database }) => database)}`
          : `${middle(costs, ({ node }) => node)} in all`;
      return [
        name,
        cpu(base),
        cpu(subject),
        `${median(ratio).toFixed(2)}${range(ratio)}`,
        ...[base, subject].map((costs) => median(costs.map(({ perSecond }) => perSecond)).toFixed(0)),
        ...[base, subject].map((costs) => median(costs.map(({ p99 }) => p99)).toFixed(1)),
      ];
    });
  const head = ['CPU ms a request', 'baseline: node + pg', 'service: node + pg', 'baseline ÷ service'];
  if (rows.length > 0)
    console.log(table([...head, 'baseline/s', 'service/s', 'baseline p99 ms', 'service p99 ms'], rows));
  const stormy = found.find(({ name }) => name === storm.name);
  if (!stormy) return;
  const { name, base, subject } = stormy;
  const p99 = ratios(subject, base, (cost) => cost.p99);
  const waits = [subject, base].map((costs) => `${median(costs.map((cost) => cost.p99)).toFixed(1)} ms`);
  console.log(`\n${name}: ${waits.join(' ÷ ')} = ${median(p99).toFixed(2)}${range(p99)}`);
}
