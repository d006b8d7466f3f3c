import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, question } from '../bench.ts';
import { table } from '../figures.ts';
import type { Server } from '../service.ts';
import { memoryOf } from '../usage.ts';

// A large account imported and exported, on a server and embedded: how long does it take, what does it hold, and how
// long does a completion of another user wait meanwhile?

const DAY = 24 * 60 * 60 * 1_000;

/** In milliseconds, between two completions of the other user. */
const PAUSE = 20;

/** In seconds without less memory in use. */
const AT_REST = 15;

interface Person {
  headers: Record<string, string>;
  email: string;
}

const addressOf = ({ port }: Server, path: string) => `http://127.0.0.1:${port}${path}`;

async function post(service: Server, path: string, body: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(addressOf(service, path), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const { status } = answer;
  return { status, body: (await answer.json()) as Record<string, unknown> };
}

async function signUp(service: Server, name: string): Promise<Person> {
  const email = `${name}@example.com`;
  const { body } = await post(service, '/api/auth/signup', { name, email, password: 'secret1' });
  return { headers: { Authorization: `Bearer ${body.token}` }, email };
}

const EXPORTS = {
  'first export': '/account/export', // the database reads its pages from the disk
  'next export': '/account/export',
  'completions.csv': '/account/completions.csv',
};

/** An export of somebody who has done the same every day for years, until yesterday. */
function document(completions: number, tasks: number): string {
  const days = Math.ceil(completions / tasks);
  const first = Math.floor(Date.now() / DAY) * DAY - days * DAY;
  const instant = (index: number) =>
    new Date(first + Math.floor(index / tasks) * DAY + (index % tasks) * 60_000).toISOString();
  const made = { createdAt: instant(0), updatedAt: instant(0) };
  return JSON.stringify({
    format: 'steady-export',
    version: 1,
    account: { timeZone: 'Europe/Berlin', dayStartsAt: 0 },
    tasks: Array.from({ length: tasks }, (_, index) => ({
      ...{ id: index + 1, title: `Habit ${index + 1}`, points: 10, isDailyRoutine: true, ...made },
    })),
    challenges: [],
    completions: Array.from({ length: completions }, (_, index) => {
      const at = instant(index);
      return { task: (index % tasks) + 1, points: 10, completedAt: at, day: at.slice(0, 10), recordedAt: at };
    }),
  });
}

/** Completes again and again while `work` runs, and asks again when it is refused. */
async function besides<T>(service: Server, person: Person, work: () => Promise<T>) {
  const { body } = await post(service, '/api/tasks', { title: 'Run' }, person.headers);
  let isOver = false;
  const found = { longest: 0, refused: 0 };
  const completing = async () => {
    while (!isOver) {
      const startedAt = performance.now();
      while (
        (await post(service, '/api/task-completions', { task_id: body.id }, person.headers)).status !== 201
      )
        found.refused += 1;
      found.longest = Math.max(found.longest, performance.now() - startedAt);
      await sleep(PAUSE);
    }
  };
  const completions = completing();
  const result = await work().finally(() => {
    isOver = true;
  });
  await completions;
  return { result, ...found };
}

/** How long it takes, and how many megabytes more than before the process held at its worst moment. */
async function watched(service: Server, work: () => Promise<unknown>) {
  const before = memoryOf(service.pid);
  let most = before;
  const looking = setInterval(() => {
    most = Math.max(most, memoryOf(service.pid));
  }, 5);
  const startedAt = performance.now();
  await work().finally(() => clearInterval(looking));
  return { seconds: (performance.now() - startedAt) / 1_000, more: most - before };
}

async function untilAtRest({ pid }: Server): Promise<void> {
  for (let least = Infinity, steady = 0; steady < AT_REST; steady += 1) {
    await sleep(1_000);
    if (memoryOf(pid) < least - 1) steady = 0;
    least = Math.min(least, memoryOf(pid));
  }
}

async function exported(service: Server, { headers }: Person, path: string): Promise<number> {
  const answer = await fetch(addressOf(service, path), { headers });
  if (answer.status !== 200) throw new Error(`The export was answered ${answer.status}`);
  let bytes = 0;
  for await (const piece of answer.body ?? []) bytes += piece.length;
  return bytes;
}

type Numbers = Record<'completions' | 'tasks' | 'rounds', number>;

async function measure(bench: Bench, where: string, environment: Record<string, string>, numbers: Numbers) {
  const { completions, tasks, rounds } = numbers;
  const text = document(completions, tasks);
  const rows: string[][] = [];
  let service = await bench.service(environment);
  const other = await signUp(service, 'other');
  const row = async (what: string, work: () => Promise<unknown>) => {
    const { result, longest, refused } = await besides(service, other, () => watched(service, work));
    const { seconds, more } = result;
    rows.push([`${what}, ${where}`, seconds.toFixed(2), more.toFixed(0), longest.toFixed(0), `${refused}`]);
  };
  const people: Person[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const person = await signUp(service, `person-${round}`);
    await row(`import ${round}`, async () => {
      const { status, body } = await post(service, '/account/import', text, person.headers);
      if (status !== 201) throw new Error(`The import was answered ${status}: ${JSON.stringify(body)}`);
    });
    people.push(person);
  }
  for (const [index, person] of people.entries()) {
    await service.stop();
    service = await bench.service(environment); // so that garbage of what came before is not counted
    await exported(service, other, '/account/export');
    await untilAtRest(service); // a start compiles for some seconds, and gives hundreds of megabytes back
    for (const [what, path] of Object.entries(EXPORTS)) {
      await row(`${what} ${index + 1}`, () => exported(service, person, path));
    }
  }
  await service.stop();
  const size = (text.length / 2 ** 20).toFixed(1);
  console.log(`\n${completions.toLocaleString('en')} completions, a file of ${size} MB`);
  console.log(table(['', 's', 'more MB', 'longest wait ms', 'refused meanwhile'], rows));
}

export default question({ completions: 100_000, tasks: 30, rounds: 2 }, async (bench, numbers) => {
  const server = await bench.postgres();
  await measure(bench, 'on a server', { DATABASE_URL: server.url('steady') }, numbers);
  await measure(bench, 'embedded', { DATABASE_URL: '', DATA_DIR: bench.directory() }, numbers);
});
