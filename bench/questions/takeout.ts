import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, question } from '../bench.ts';
import { table } from '../figures.ts';
import { ask, exportOf, newToken } from '../people.ts';
import type { Server } from '../service.ts';
import { memoryOf } from '../usage.ts';

// A large account imported and exported, on a server and embedded: how long does it take, what does it hold, and how
// long does a completion of another user wait meanwhile?

/** In milliseconds, between two completions of the other user. */
const PAUSE = 20;

/** In seconds without less memory in use. */
const AT_REST = 15;

const EXPORTS = {
  'first export': '/account/export', // the database reads its pages from the disk
  'next export': '/account/export',
  'completions.csv': '/account/completions.csv',
};

/** Completes again and again while `work` runs, and asks again when it is refused. */
async function besides<T>(service: Server, token: string, work: () => Promise<T>) {
  const { body: task } = await ask(service, '/api/tasks', { token, body: { title: 'Run' } });
  const complete = () => ask(service, '/api/task-completions', { token, body: { task_id: task.id } });
  let isOver = false;
  const found = { longest: 0, refused: 0 };
  const completing = async () => {
    while (!isOver) {
      const startedAt = performance.now();
      while ((await complete()).status !== 201) found.refused += 1;
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

/** Read piece by piece: the whole of it would take time that others wait for. */
async function exported({ port }: Server, token: string, path: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  if (answer.status !== 200) throw new Error(`The export was answered ${answer.status}`);
  for await (const _piece of answer.body ?? []);
}

type Numbers = Record<'completions' | 'tasks' | 'rounds', number>;

async function measure(bench: Bench, where: string, environment: Record<string, string>, numbers: Numbers) {
  const { completions, tasks, rounds } = numbers;
  const text = JSON.stringify(exportOf(tasks, Math.ceil(completions / tasks)));
  const rows: string[][] = [];
  let service = await bench.service(environment);
  const other = await newToken(service, 'other');
  const row = async (what: string, work: () => Promise<unknown>) => {
    const { result, longest, refused } = await besides(service, other, () => watched(service, work));
    const { seconds, more } = result;
    rows.push([`${what}, ${where}`, seconds.toFixed(2), more.toFixed(0), longest.toFixed(0), `${refused}`]);
  };
  const people: string[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const token = await newToken(service, `person-${round}`);
    await row(`import ${round}`, async () => {
      const { status, body } = await ask(service, '/account/import', { token, body: text });
      if (status !== 201) throw new Error(`The import was answered ${status}: ${JSON.stringify(body)}`);
    });
    people.push(token);
  }
  for (const [index, token] of people.entries()) {
    await service.stop();
    service = await bench.service(environment); // so that garbage of what came before is not counted
    await exported(service, other, '/account/export');
    await untilAtRest(service); // a start compiles for some seconds, and gives hundreds of megabytes back
    for (const [what, path] of Object.entries(EXPORTS)) {
      await row(`${what} ${index + 1}`, () => exported(service, token, path));
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
