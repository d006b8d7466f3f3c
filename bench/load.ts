import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../src/database/database.js';
import { dayOf, insertCompletion, systemClock } from './built.ts';
import { type Times, timesOf } from './figures.ts';

/** How long completions waited for their answer. */
export interface Waits extends Times {
  /** Completions that hit the timeout of a request. */
  failed: number;
}

/** Sends completions for random users at a steady rate, however long the answers take, while `work` runs. */
export async function underLoad<T>(
  database: Database,
  rate: number,
  work: () => Promise<T>,
): Promise<[T, Waits]> {
  const { rows: tasks } = await sql<{ userId: string; taskId: number }>`
    select user_id as "userId", id as "taskId" from tasks tablesample bernoulli (3)
  `.execute(database.query());
  const waits: number[] = [];
  let failed = 0;
  const complete = async () => {
    const task = tasks[Math.floor(Math.random() * tasks.length)];
    if (!task) throw new Error('There are too few users to choose from');
    const at = systemClock.now();
    const startedAt = performance.now();
    const completion = {
      ...task,
      at,
      day: dayOf(at),
      recordedAt: at,
      idempotencyKey: null,
      amount: null,
      note: null,
    };
    await insertCompletion(database, completion).catch(() => {
      failed += 1;
    });
    waits.push(performance.now() - startedAt);
  };

  let isOver = false;
  const send = async () => {
    const running: Promise<void>[] = [];
    const startedAt = performance.now();
    while (!isOver) {
      const due = Math.floor(((performance.now() - startedAt) * rate) / 1_000);
      while (running.length < due) running.push(complete());
      await sleep(1);
    }
    await Promise.all(running);
  };
  const sent = send();
  const result = await work().finally(() => {
    isOver = true;
  });
  await sent;
  return [result, { ...timesOf(waits), failed }];
}
