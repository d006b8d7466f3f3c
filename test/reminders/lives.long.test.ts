import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dayAt, type Life, type ModelReminder, messageAt, STEP_MS, type Zone } from './model.js';
import { addsNtfy, makes, ringing, sets } from './ringing.js';

const RUNS = Number(process.env.REMINDER_LIVES ?? 3);
const WEEK = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];
const ZONES = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'Pacific/Apia'],
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

const zone = fc.record({ timeZone: fc.constantFrom(...ZONES), dayStartsAt: fc.nat(6) });
const task = fc.nat(2);
const named = <Name extends string>(name: Name) => fc.constant(name);

const event = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: named('done'), task }) },
  { weight: 2, arbitrary: fc.record({ kind: named('skip'), task }) },
  { weight: 2, arbitrary: fc.record({ kind: named('zone'), zone }) },
  { weight: 2, arbitrary: fc.record({ kind: named('remind'), task, reminders }) },
  { weight: 1, arbitrary: fc.record({ kind: named('archive'), task }) },
  { weight: 1, arbitrary: fc.record({ kind: named('day'), minute: fc.option(minute) }) },
);

const life = fc.record({
  ...{ start: fc.constantFrom(...STARTS), zone, dayReminder: fc.option(minute) },
  tasks: fc.array(fc.record({ dueOn: weekdays, reminders }), { minLength: 3, maxLength: 3 }),
  events: fc.array(fc.record({ after: fc.integer({ min: 1, max: 24 }), event }), { maxLength: 16 }),
});

const daysOf = (days: number[]) => `weekdays: [${days.map((day) => WEEK[day])}]`;

/** As GraphQL takes it. */
const written = {
  zone: ({ timeZone, dayStartsAt }: Zone) => `timeZone: "${timeZone}", dayStartsAt: ${dayStartsAt}`,
  dayReminder: (at: number | null) => `dayReminder: ${at === null ? null : `"${timeOf(at)}"`}`,
  reminders: (list: ModelReminder[]) =>
    `reminders: [${list.map((each) => `{ at: "${timeOf(each.minute)}", ${daysOf(each.weekdays)} }`)}]`,
};

it('Whatever somebody does, the same rings as by the contract, at the same instants', async () => {
  await fc.assert(
    fc.asyncProperty(life, async ({ start, zone, tasks, dayReminder, events }) => {
      const { newUser, clock, ring, heard, reminders: parts } = await ringing();
      let now = Date.parse(`${start}T00:00:00Z`);
      clock.set(new Date(now).toISOString());
      const ana = await newUser();
      await addsNtfy(ana);
      await sets(ana, `${written.zone(zone)}, ${written.dayReminder(dayReminder)}`);
      const model: Life = { zone, dayReminder, tasks: [] };
      for (const { dueOn, reminders: list } of tasks) {
        const plan = `title: "T${model.tasks.length}", schedule: { ${daysOf(dueOn)} }`;
        const id = Number(await makes(ana, `${plan}, ${written.reminders(list)}`));
        const nothing = { archived: false, done: new Set<string>(), skipped: new Set<string>() };
        model.tasks.push({ id, dueOn, reminders: list, ...nothing });
      }
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
          model.zone = done.zone;
          await sets(ana, written.zone(done.zone));
        } else if (done.kind === 'day') {
          model.dayReminder = done.minute;
          await sets(ana, written.dayReminder(done.minute));
        } else if (task && done.kind === 'done' && !task.archived) {
          task.done.add(day);
          await ana.completes({ id: task.id });
        } else if (task && done.kind === 'skip') {
          task.skipped.add(day);
          await ana.query(`mutation { skipDay(taskId: ${task.id}, date: "${day}") { date } }`);
        } else if (task && done.kind === 'remind') {
          task.reminders = done.reminders;
          const input = written.reminders(done.reminders);
          await ana.query(`mutation { updateTask(id: ${task.id}, input: { ${input} }) { task { id } } }`);
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
