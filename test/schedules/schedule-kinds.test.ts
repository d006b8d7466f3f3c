import { expect, it } from 'vitest';
import { person } from './person.js';

const SCHEDULE = 'schedule { kind everyDay weekdays everyDays timesPer { count period } }';
const CREATE = `mutation ($schedule: ScheduleInput) {
  createTask(input: { title: "Swim", schedule: $schedule }) { task { id ${SCHEDULE} } }
}`;
const UPDATE = `mutation ($id: ID!, $schedule: ScheduleInput) {
  updateTask(id: $id, input: { schedule: $schedule }) { task { ${SCHEDULE} } }
}`;

it('A schedule says of which kind it is, and else what was given, and can be sent back as it was read', async () => {
  const { ana } = await person();
  const nothing = { everyDay: null, weekdays: null, everyDays: null, timesPer: null };
  const usual = await ana.query(CREATE);
  expect(usual.createTask.task.schedule).toEqual({ ...nothing, kind: 'EVERY_DAY', everyDay: true });
  for (const [schedule, kind] of [
    [{ everyDay: true }, 'EVERY_DAY'],
    [{ weekdays: 'MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY SUNDAY'.split(' ') }, 'WEEKDAYS'],
    [{ everyDays: 1 }, 'INTERVAL'],
    [{ everyDays: 365 }, 'INTERVAL'],
    [{ timesPer: { count: 31, period: 'MONTH' } }, 'TIMES'],
  ] as const) {
    const { id, schedule: shown } = (await ana.query(CREATE, { schedule })).createTask.task;
    expect(shown).toEqual({ ...nothing, kind, ...schedule });
    const { updateTask } = await ana.query(UPDATE, { id, schedule });
    expect(updateTask.task.schedule).toEqual(shown);
  }
});
