import { connect } from '../clients/apollo.ts';
import { open, shown, tap, undo } from './app.ts';
import type { FirstScreenQuery } from './gql/graphql.ts';

// The first screen of an app, on the command line; see README.md.

const { STEADY_URL = 'http://127.0.0.1:3000', STEADY_TOKEN = '' } = process.env;

const client = connect(STEADY_URL, {
  token: () => STEADY_TOKEN,
  loggedOut: () => console.error('Log in, and set STEADY_TOKEN.'),
});

function draw({ me, tasks }: FirstScreenQuery): string {
  const ticks = tasks.nodes.map(({ id, title, target, today, streak }) => {
    const done = target ? `, ${today.amount} of ${target.amount} ${target.unit}` : '';
    const run = `${streak.count} ${streak.unit.toLowerCase()}`;
    return `[${today.state === 'KEPT' ? 'x' : ' '}] ${id} ${title}${done}, ${run}`;
  });
  const year = me.calendar
    .filter(({ date }) => date <= me.today)
    .map(({ completions }) => (completions > 0 ? '#' : '.'));
  const weeks = Array.from({ length: Math.ceil(year.length / 52) }, () => year.splice(0, 52).join(''));
  return [`${me.today}: ${me.streak.count} days, ${me.points} points`, ...ticks, ...weeks].join('\n');
}

const [command, taskId = ''] = process.argv.slice(2);
const now = new Date();
await open(client, now);
if (command === 'tap') await tap(client, taskId, now);
if (command === 'undo') await undo(client, taskId, now);
const screen = shown(client, now);
if (screen) console.log(draw(screen));
