import type { Config } from '../../src/base/config.js';
import { world } from '../support/world.js';

// Monday 2026-11-02 to Sunday 2026-11-08 is the first week here.

export const STREAK = 'streak { unit count longest doneToday atRisk aliveUntil }';
export const TODAY = 'today { state isDue completionCount amount remaining }';

/** Somebody who makes tasks and does them in the days of November 2026. */
export async function person(config?: Config) {
  const here = await world(config && { config });
  here.clock.set('2026-11-02T09:00:00Z');
  const ana = await here.newUser();
  const makes = async (input: string) => {
    const { createTask } = await ana.query(`mutation { createTask(input: { ${input} }) { task { id } } }`);
    return createTask.task.id as string;
  };
  const at = (day: number, hour = 9) =>
    here.clock.set(`2026-11-${String(day).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00Z`);
  const does = async (task: string, days: number[], more = '') => {
    for (const day of days) {
      at(day);
      await ana.query(`mutation { completeTask(taskId: ${task} ${more}) { isReplayed } }`);
    }
  };
  const change = (mutation: string) => ana.query(`mutation { ${mutation} { __typename } }`);
  const read = async (task: string, fields: string) =>
    (await ana.query(`{ task(id: ${task}) { ${fields} } }`)).task;
  const states = async (task: string, from: number, to: number) => {
    const day = (number: number) => `2026-11-${String(number).padStart(2, '0')}`;
    const { calendar } = await read(
      task,
      `calendar(from: "${day(from)}", to: "${day(to)}") { state streakEffect }`,
    );
    return calendar as { state: string; streakEffect: string }[];
  };
  const refusal = async (operation: string) => {
    const body = await ana.rest.ask(operation);
    return { message: body.errors?.[0].message, reason: body.errors?.[0].extensions.reason };
  };
  return { ...here, ana, makes, at, does, change, read, states, refusal };
}
