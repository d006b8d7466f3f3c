import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { FIRST_SCREEN, COMPLETE as LATE, UNDO } from '../src/page/client/documents.ts';
import { table } from './figures.ts';
import { NESTED } from './operations.ts';
import type { SeededUser } from './service.ts';

// Honest people who ask at the same moment: how many are refused, and how long the last one waits.

const CROWDS = [64, 256];
const ROUNDS = 3;
const LATE_TAPS = 20;
const SIGN_UPS = 30;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Asked {
  path: string;
  token?: string;
  body?: object;
}

interface Answered {
  /** Empty for an answer that was given. */
  refusal: string;
  milliseconds: number;
  // biome-ignore lint/suspicious/noExplicitAny: each kind reads its own answer
  data: any;
}

type Ask = (asked: Asked) => Promise<Answered>;

const asking =
  (port: number): Ask =>
  async ({ path, token, body }) => {
    const startedAt = performance.now();
    const { status, answer } = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
      ...(body && { body: JSON.stringify(body) }),
    })
      .then(async (sent) => ({ status: sent.status, answer: await sent.json() }))
      .catch((error: unknown) => ({ status: 503, answer: { error: String(error) } }));
    const [error] = answer.errors ?? [];
    const refusal = error?.message ?? (status >= 200 && status < 300 ? '' : `${status} ${answer.error}`);
    const isMistaken = error ? error.extensions.code !== 'SERVICE_UNAVAILABLE' : refusal && status !== 503;
    if (isMistaken) throw new Error(`${path} was answered ${refusal}`);
    return { refusal, data: answer.data ?? answer, milliseconds: performance.now() - startedAt };
  };

const dayAt = (instant: number) => new Date(instant).toISOString().slice(0, 10);

const graphql = ({ token }: SeededUser, query: string, variables?: object): Asked => ({
  path: '/graphql',
  token,
  body: { query, variables },
});

const week = () => ({ from: dayAt(Date.now() - 7 * DAY), to: dayAt(Date.now() + DAY) });
const yearAndWeek = () => ({ year: dayAt(Date.now() - 364 * DAY), ...week() });

const TAP = `mutation ($taskId: ID!) { completeTask(taskId: $taskId) {
  completion { id points completedAt day } task { id completionCount streak { count longest } }
  user { points currentStreak streak { count longest aliveUntil } } day { date completions } } }`;

/** Each asks for itself; a kind may use what the one before it was answered. */
const kinds: Record<string, (user: SeededUser, before: Answered | undefined) => Asked> = {
  'taps with the whole payload': (user) => graphql(user, TAP, { taskId: `${user.taskId}` }),
  undo: (user, tapped) =>
    graphql(user, UNDO, { id: tapped?.data.completeTask?.completion.id ?? '0', ...week() }),
  'first screen of the page': (user) => graphql(user, FIRST_SCREEN, yearAndWeek()),
  nested: (user) => graphql(user, NESTED),
  'REST list': ({ token }) => ({ path: '/api/tasks/me', token }),
  [`${LATE_TAPS} late taps each`]: (user) => graphql(user, LATE, { input: lateTaps(user), ...week() }),
};

const lateTaps = ({ taskId }: SeededUser) =>
  Array.from({ length: LATE_TAPS }, (_, number) => ({
    taskId: `${taskId}`,
    idempotencyKey: crypto.randomUUID(),
    at: new Date(Date.now() - (number * 47 * HOUR) / LATE_TAPS).toISOString(),
  }));

/** How many of how many, and what the first of them was told. */
function refusedOf(answers: Answered[]): string {
  const refused = answers.filter(({ refusal }) => refusal !== '');
  const why = refused[0] ? `: ${refused[0].refusal}` : '';
  return `${refused.length} of ${answers.length}${why}`;
}

const slowestOf = (answers: Answered[]) => Math.max(...answers.map(({ milliseconds }) => milliseconds));
const shown = (answers: Answered[]) => [refusedOf(answers), (slowestOf(answers) / 1_000).toFixed(2)];

/** With a busy process for each core beside the service. */
async function signUps(send: Ask): Promise<Answered[]> {
  const loops = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  try {
    const people = Array.from({ length: SIGN_UPS }, () => ({
      name: 'Ana',
      email: `${crypto.randomUUID()}@example.com`,
      password: 'one step a day',
    }));
    return await Promise.all(people.map((body) => send({ path: '/api/auth/signup', body })));
  } finally {
    for (const loop of loops) loop.kill('SIGKILL');
  }
}

/** Prints a table of refusals and waits. */
export async function measureCrowds(port: number, users: SeededUser[]): Promise<void> {
  const send = asking(port);
  const rows: string[][] = [];
  for (const size of CROWDS) {
    const crowd = users.slice(0, size);
    const found: Record<string, Answered[]> = {};
    for (let round = 0; round < ROUNDS; round += 1) {
      let before: Answered[] = [];
      for (const [kind, asked] of Object.entries(kinds)) {
        before = await Promise.all(crowd.map((user, number) => send(asked(user, before[number]))));
        found[kind] = [...(found[kind] ?? []), ...before];
      }
    }
    for (const [kind, answers] of Object.entries(found)) rows.push([`${size}: ${kind}`, ...shown(answers)]);
  }
  rows.push([`${SIGN_UPS}: sign-ups beside a busy process per core`, ...shown(await signUps(send))]);
  console.log(`\n${table(['at once', 'refused', 'slowest, s'], rows)}`);
}
