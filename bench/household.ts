import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ask, asking } from './ask.ts';
import { wholeNumbers } from './numbers.ts';
import { runBenchmark } from './run-benchmark.ts';
import { startService } from './service.ts';
import { memoryOf, peakOf } from './usage.ts';

// `npm run bench -- household [--minutes=N]`: the memory of a service that has just made its embedded database, while
// twenty people use it: 20,000 completions in an hour, each with the list before and the profile after it.

const USERS = 20;
const TASKS = 10;
const COMPLETIONS_PER_MINUTE = 333;

interface Person {
  headers: Record<string, string>;
  tasks: number[];
}

async function signUp(ask: Ask, index: number): Promise<Person> {
  const account = { name: `Person ${index}`, email: `person-${index}@example.com`, password: 'secret1' };
  const { token } = (await ask('/api/auth/signup', {}, account)) as { token: string };
  const headers = { Authorization: `Bearer ${token}` };
  const tasks: number[] = [];
  for (let task = 1; task <= TASKS; task += 1) {
    tasks.push(((await ask('/api/tasks', headers, { title: `Habit ${task}` })) as { id: number }).id);
  }
  return { headers, tasks };
}

async function minuteOf(ask: Ask, people: Person[]): Promise<void> {
  const startedAt = performance.now();
  for (let done = 0; done < COMPLETIONS_PER_MINUTE; done += 1) {
    const { headers, tasks } = people[done % USERS] as Person;
    await ask('/api/tasks/me', headers);
    await ask('/api/task-completions', headers, { task_id: tasks[Math.floor(done / USERS) % TASKS] });
    await ask('/api/user/profile', headers);
    const due = ((done + 1) * 60_000) / COMPLETIONS_PER_MINUTE;
    await sleep(Math.max(0, due - (performance.now() - startedAt)));
  }
}

async function benchmark(): Promise<void> {
  const { minutes } = wholeNumbers({ minutes: 60 });
  const directory = mkdtempSync(path.join(os.tmpdir(), 'steady-household-'));
  const service = await startService({ DATABASE_URL: '', DATA_DIR: directory });
  try {
    const ask = asking(service.port);
    const people: Person[] = [];
    for (let index = 1; index <= USERS; index += 1) people.push(await signUp(ask, index));
    console.log('minute | completions | MB | MB at the worst moment');
    for (let minute = 1; minute <= minutes; minute += 1) {
      await minuteOf(ask, people);
      const figures = [memoryOf(service.pid), peakOf(service.pid)].map((megabytes) => megabytes.toFixed(0));
      console.log([minute, minute * COMPLETIONS_PER_MINUTE, ...figures].join(' | '));
    }
  } finally {
    await service.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

await runBenchmark(benchmark);
