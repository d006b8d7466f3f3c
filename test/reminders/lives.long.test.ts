import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dayAt, type Life, messageAt, STEP_MS } from './model.js';
import { addsNtfy, makes, ringing, sets } from './ringing.js';

const RUNS = Number(process.env.REMINDER_LIVES ?? 3);
const WEEK = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'Pacific/Apia',
];

/** Three days around changes of the clock in some of the zones, and some without. */
const STARTS = ['2026-03-28', '2026-10-24', '2026-03-07', '2026-10-31', '2026-04-04', '2026-11-20'];

const timeOf = (minute: number) =>
  `${`${Math.floor(minute / 60)}`.padStart(2, '0')}:${`${minute % 60}`.padStart(2, '0')}`;

const minute = fc.oneof(
  fc.constantFrom(2 * 60, 2 * 60 + 30, 60 + 45, 30),
  fc.nat(95).map((quarter) => quarter * 15),
);
const weekdays = fc.subarray([0, 1, 2, 3, 4, 5, 6], { minLength: 3 });
const reminders = fc.uniqueArray(fc.record({ minute, weekdays }), {
  maxLength: 3,
  selector: ({ minute: at, weekdays: on }) => `${at} ${on}`,
});

const event = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('done' as const), task: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('skip' as const), task: fc.nat(2) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('zone' as const),
      timeZone: fc.constantFrom(...ZONES),
      dayStartsAt: fc.nat(6),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remind' as const), task: fc.nat(2), reminders }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('archive' as const), task: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('day' as const), minute: fc.option(minute) }) },
);

const life = fc.record({
  start: fc.constantFrom(...STARTS),
  zone: fc.record({ timeZone: fc.constantFrom(...ZONES), dayStartsAt: fc.nat(6) }),
  tasks: fc.array(fc.record({ dueOn: weekdays, reminders }), { minLength: 3, maxLength: 3 }),
  dayReminder: fc.option(minute),
  events: fc.array(fc.record({ after: fc.integer({ min: 1, max: 24 }), event }), { maxLength: 16 }),
});

const written = (list: { minute: number; weekdays: number[] }[]) =>
  `[${list.map((each) => `{ at: "${timeOf(each.minute)}", weekdays: [${each.weekdays.map((day) => WEEK[day])}] }`)}]`;

describe('Whatever somebody does', () => {
  it('the same rings as by the contract, at the same instants', async () => {
    await fc.assert(
      fc.asyncProperty(life, async ({ start, zone, tasks, dayReminder, events }) => {
        const { newUser, clock, ring, heard, reminders: parts } = await ringing();
        let now = Date.parse(`${start}T00:00:00Z`);
        clock.set(new Date(now).toISOString());
        const ana = await newUser();
        await addsNtfy(ana);
        await sets(ana, `timeZone: "${zone.timeZone}", dayStartsAt: ${zone.dayStartsAt}`);
        if (dayReminder !== null) await sets(ana, `dayReminder: "${timeOf(dayReminder)}"`);
        const model: Life = { zone, dayReminder, tasks: [] };
        for (const { dueOn, reminders: list } of tasks) {
          const schedule = `schedule: { weekdays: [${dueOn.map((day) => WEEK[day])}] }`;
          const title = `T${model.tasks.length}`;
          const id = Number(await makes(ana, `title: "${title}", ${schedule}, reminders: ${written(list)}`));
          const nothing = { archived: false, done: new Set<string>(), skipped: new Set<string>() };
          model.tasks.push({ id, dueOn, reminders: list, ...nothing });
        }
        const update = (id: number, input: string) =>
          ana.query(`mutation { updateTask(id: ${id}, input: { ${input} }) { task { id } } }`);
        const left = events.map((each) => each);
        let nextEvent = left[0]?.after ?? 0;
        const titleOf = (id: number) => `T${model.tasks.findIndex((task) => task.id === id)}`;
        for (let step = 1; step <= 3 * 96; step += 1) {
          now += STEP_MS;
          clock.set(new Date(now).toISOString());
          const expected = messageAt(model, now)?.map(titleOf).join(', ');
          await ring();
          const sent = heard().map(({ body }) => body.title + body.message);
          expect(sent.length, `${clock.now().toISOString()}: ${expected} / ${sent}`).toBe(expected ? 1 : 0);
          for (const title of expected?.split(', ') ?? []) expect(sent[0]).toContain(title);
          if (step !== nextEvent || !left[0]) continue;
          const [{ event: done }] = left.splice(0, 1) as [(typeof left)[number]];
          nextEvent += left[0]?.after ?? 0;
          const task = 'task' in done ? model.tasks[done.task] : undefined;
          const day = dayAt(now, model.zone);
          if (done.kind === 'zone') {
            model.zone = { timeZone: done.timeZone, dayStartsAt: done.dayStartsAt };
            await sets(ana, `timeZone: "${done.timeZone}", dayStartsAt: ${done.dayStartsAt}`);
          } else if (done.kind === 'day') {
            model.dayReminder = done.minute;
            await sets(ana, `dayReminder: ${done.minute === null ? null : `"${timeOf(done.minute)}"`}`);
          } else if (task && done.kind === 'done' && !task.archived) {
            task.done.add(day);
            await ana.completes({ id: task.id });
          } else if (task && done.kind === 'skip') {
            task.skipped.add(day);
            await ana.query(`mutation { skipDay(taskId: ${task.id}, date: "${day}") { date } }`);
          } else if (task && done.kind === 'remind') {
            task.reminders = done.reminders;
            await update(task.id, `reminders: ${written(done.reminders)}`);
          } else if (task && done.kind === 'archive') {
            const name = task.archived ? 'unarchiveTask' : 'archiveTask';
            task.archived = !task.archived;
            await ana.query(`mutation { ${name}(id: ${task.id}) { task { id } } }`);
          }
        }
        await parts.dismissals.settled();
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });
});
