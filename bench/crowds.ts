import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { FIRST_SCREEN, COMPLETE as LATE, UNDO } from '../src/page/client/sync/documents.ts';
import { ask } from './answers.ts';
import { graphql } from './contests.ts';
import { table } from './figures.ts';
import { madeUnique } from './generator.ts';
import { type SeededUser, signUp } from './service.ts';

// Honest people who ask at the same moment: how many are refused, and how long the last one waits.

const CROWDS = [64, 256];
const ROUNDS = 3;
const LATE_TAPS = 20;
const SIGN_UPS = 30;

const HOUR = 3_600_000;

interface Answered {
  /** Empty for an answer that was given. */
  refusal: string;
  milliseconds: number;
  // biome-ignore lint/suspicious/noExplicitAny: each kind reads its own answer
  data: any;
}

async function askedAt(port: number, request: string): Promise<Answered> {
  const startedAt = performance.now();
  const { status, body } = await ask(port, request);
  const milliseconds = performance.now() - startedAt;
  if (status === 0) return { refusal: 'no answer', data: {}, milliseconds };
  const answer = JSON.parse(body);
  const [error] = answer.errors ?? [];
  const refusal = error?.message ?? (status < 300 ? '' : `${status} ${answer.error}`);
  const isMistaken = error ? error.extensions.code !== 'SERVICE_UNAVAILABLE' : refusal && status !== 503;
  if (isMistaken) throw new Error(`${request} was answered ${refusal}`);
  return { refusal, data: answer.data ?? answer, milliseconds };
}

const dayAt = (instant: number) => new Date(instant).toISOString().slice(0, 10);
const week = () => ({ from: dayAt(Date.now() - 7 * 24 * HOUR), to: dayAt(Date.now() + 24 * HOUR) });
const yearAndWeek = () => ({ year: dayAt(Date.now() - 364 * 24 * HOUR), ...week() });

const TAP = `mutation ($taskId: ID!) { completeTask(taskId: $taskId) {
  completion { id points completedAt day } task { id completionCount streak { count longest } }
  user { points currentStreak streak { count longest aliveUntil } } day { date completionCount } } }`;

const lateTaps = ({ taskId }: SeededUser) =>
  Array.from({ length: LATE_TAPS }, (_, number) => ({
    taskId: `${taskId}`,
    idempotencyKey: crypto.randomUUID(),
    at: new Date(Date.now() - (number * 47 * HOUR) / LATE_TAPS).toISOString(),
  }));

/** A kind may use what the one before it was answered. */
const asks: Record<string, (user: SeededUser, before: Answered | undefined) => string> = {
  'taps with the whole payload': ({ token, taskId }) => graphql(TAP, token, { taskId: `${taskId}` }),
  undo: ({ token }, tapped) =>
    graphql(UNDO, token, { id: tapped?.data.completeTask?.completion.id ?? '0', ...week() }),
  'first screen of the page': ({ token }) => graphql(FIRST_SCREEN, token, yearAndWeek()),
  [`${LATE_TAPS} late taps each`]: (user) => graphql(LATE, user.token, { input: lateTaps(user), ...week() }),
};

/** How many of how many were refused, with what the first of them was told, and how long the slowest took. */
function shown(answers: Answered[]): string[] {
  const refused = answers.filter(({ refusal }) => refusal !== '');
  const why = refused[0] ? `: ${refused[0].refusal}` : '';
  const slowest = Math.max(...answers.map(({ milliseconds }) => milliseconds));
  return [`${refused.length} of ${answers.length}${why}`, (slowest / 1_000).toFixed(2)];
}

/** With a busy process for each core beside the service. */
async function signUps(port: number): Promise<Answered[]> {
  const loops = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  try {
    const people = Array.from({ length: SIGN_UPS }, () => madeUnique(signUp()));
    return await Promise.all(people.map((request) => askedAt(port, request)));
  } finally {
    for (const loop of loops) loop.kill('SIGKILL');
  }
}

/** Prints a table of refusals and waits. */
export async function measureCrowds(port: number, users: SeededUser[]): Promise<void> {
  const rows: string[][] = [];
  for (const size of CROWDS) {
    const found: Record<string, Answered[]> = {};
    for (let round = 0; round < ROUNDS; round += 1) {
      let before: Answered[] = [];
      for (const [kind, asked] of Object.entries(asks)) {
        const requests = users.slice(0, size).map((user, number) => asked(user, before[number]));
        before = await Promise.all(requests.map((request) => askedAt(port, request)));
        found[kind] = [...(found[kind] ?? []), ...before];
      }
    }
    for (const [kind, answers] of Object.entries(found)) rows.push([`${size}: ${kind}`, ...shown(answers)]);
  }
  rows.push([`${SIGN_UPS}: sign-ups beside a busy process per core`, ...shown(await signUps(port))]);
  console.log(`\n${table(['at once', 'refused', 'slowest, s'], rows)}`);
}
