import { connect } from '../clients/apollo.ts';
import { open, shown, tap, undo } from './app.ts';
import type { FirstScreenQuery, TaskOnScreenFragment } from './gql/graphql.ts';

// The first screen of an app, on the command line; see README.md.

const { STEADY_URL = 'http://127.0.0.1:3000', STEADY_TOKEN = '' } = process.env;

const client = connect(STEADY_URL, {
  token: () => STEADY_TOKEN,
  loggedOut: () => console.error('Log in, and set STEADY_TOKEN.'),
});

const marks: Partial<Record<string, string>> = { KEPT: '#', PARTIAL: '+', MISSED: '.', OPEN: '?' };

function lineOf({ id, title, target, today, streak, thisPeriod, calendar }: TaskOnScreenFragment): string {
  const parts = [
    target && `${today.periodAmount} of ${target.amount} ${target.unit}`,
    thisPeriod && !target && `${thisPeriod.done} of ${thisPeriod.goal} until ${thisPeriod.to}`,
    `${streak.count} ${streak.unit.toLowerCase()}`,
  ];
  const week = calendar.map(({ state }) => marks[state ?? ''] ?? ' ').join('');
  return `[${today.state === 'KEPT' ? 'x' : ' '}] |${week}| ${id} ${title}, ${parts.filter(Boolean).join(', ')}`;
}

function draw({ me, tasks, others }: FirstScreenQuery): string {
  const { template, progress } = me.activeChallenge ?? {};
  return [
    `${me.today}: ${me.streak.count} days, ${me.points} points`,
    ...tasks.nodes.map(lineOf),
    ...others.nodes.map(({ title, nextDueOn }) => `${title}: ${nextDueOn ?? 'whenever you like'}`),
    ...(progress ? [`${template?.title}: ${progress.daysDone} of ${progress.daysTotal} days`] : []),
    me.calendar.map(({ completionCount }) => (completionCount > 0 ? '#' : '.')).join(''),
  ].join('\n');
}

const [command, taskId = '', amount] = process.argv.slice(2);
await open(client);
if (command === 'tap') await tap(client, taskId, amount ? { amount: Number(amount) } : {});
if (command === 'undo') await undo(client, taskId);
const screen = shown(client);
if (screen) console.log(draw(screen));
