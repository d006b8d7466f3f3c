import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Verification } from '../../src/completions/verification.js';
import type { Database } from '../../src/database/database.js';
import { freshDatabase } from '../support/database.js';
import { firstDay, moment, ZONES } from '../support/moments.js';
import { DAY, HOUR } from '../support/wall-clock.js';
import { TestClock, type TestUser, type World, world } from '../support/world.js';
import { Life, type PaperTask } from './life.js';
import { EVERY_DAY, nameOf, type Schedule, WEEKDAYS } from './model.js';

// HABIT_LIVES=1000 tells more lives; HABIT_SEED=… tells those again that a failure has named.
const LIVES = Number(process.env.HABIT_LIVES ?? 50);
const SEED = Number(process.env.HABIT_SEED ?? Math.floor(Math.random() * 2 ** 31));
const BATCH = 5;

/** Steps after which everything is compared. */
const STEPS = 3;

const task = fc.nat(3);

/** In thousandths. */
const amount = fc.option(fc.constantFrom(1, 125, 500, 1_000, 2_500, 8_000), { freq: 2 });

const schedule: fc.Arbitrary<Schedule | null> = fc.oneof(
  fc.constant(null),
  fc.record({ weekdays: fc.subarray([0, 1, 2, 3, 4, 5, 6], { minLength: 1 }) }),
  fc.record({ every: fc.oneof(fc.integer({ min: 2, max: 6 }), fc.constantFrom(14, 365)) }),
  fc.record({ times: fc.integer({ min: 1, max: 7 }), per: fc.constant('WEEK' as const) }),
  fc.record({
    times: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom(28, 31)),
    per: fc.constant('MONTH' as const),
  }),
);

const target = fc.option(fc.constantFrom(1, 1_000, 2_500, 8_000), { freq: 3 });

const plan = fc.record({ schedule, target });

/** From today on, counted in days; the last few cannot be planned, or not yet. */
const ahead = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: -6, max: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom(-9, -8, -7, 365, 366, 367) },
);

const step = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.record({
      ...{ act: fc.constant('complete' as const), task, amount },
      by: fc.constantFrom('one', 'one', 'several', 'REST'),
      /** How long ago it was done. */
      ago: fc.oneof(
        { weight: 3, arbitrary: fc.constant(0) },
        { weight: 4, arbitrary: fc.integer({ min: 0, max: 7 * 24 * HOUR }) },
        { weight: 1, arbitrary: fc.constantFrom(7 * DAY, 7 * DAY + 1, 7 * DAY - 1, DAY, 2 * DAY) },
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('undo' as const),
      completion: fc.oneof(fc.constant(0), fc.nat(9)),
    }),
  },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('schedule' as const), task, schedule }) },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constant('target' as const), task, target }),
  },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('skip' as const), task, ahead }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('unskip' as const), skip: fc.nat(5) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      ...{ act: fc.constant('pause' as const), task: fc.option(task, { freq: 2 }), ahead },
      length: fc.option(fc.nat(20), { freq: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('endPause' as const), pause: fc.nat(5), ahead }) },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constant('week' as const), begins: fc.constantFrom(0, 5, 6) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant('move' as const),
      timeZone: fc.constantFrom(...ZONES),
      dayStartsAt: fc.oneof(fc.constant(0), fc.nat(6)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('create' as const), plan }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('archive' as const), task }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('delete' as const), task }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('job' as const) }) },
);

const life = fc.record({
  firstDay,
  plans: fc.array(plan, { minLength: 1, maxLength: 3 }),
  steps: fc.array(
    fc.record({
      ...moment,
      gap: fc.oneof(
        { weight: 12, arbitrary: moment.gap },
        { weight: 1, arbitrary: fc.integer({ min: 5, max: 12 }) },
      ),
      what: step,
    }),
    { minLength: 1, maxLength: 24, size: 'max' },
  ),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;
type Lived = typeof life extends fc.Arbitrary<infer T> ? T : never;

const STREAK = 'streak { unit count days longest doneToday atRisk aliveUntil }';
const DAYS = 'date completions points streakEffect state';
const SUMS = 'due kept completions amount';
const ME = `query ($from: Date!, $to: Date!) {
  me { points weekStartsOn ${STREAK} pauses { id from until task { id } } calendar(from: $from, to: $to) { ${DAYS} } }
  all: tasks { nodes { id } } due: tasks(due: true) { nodes { id } } rest: tasks(due: false) { nodes { id } }
}`;
const TASK = `query ($id: ID!, $from: Date!, $to: Date!) {
  task(id: $id) {
    schedule { weekdays every times per } target { amount } completionCount pauses { id from until task { id } }
    today { date completions state amount isDue left } ${STREAK} calendar(from: $from, to: $to) { ${DAYS} amount }
    statistics(from: $from, to: $to) {
      dueDays keptDays missedDays neutralDays completions points amount rate byWeekday { weekday ${SUMS} }
      byWeek: by(period: WEEK) { from to ${SUMS} } byMonth: by(period: MONTH) { from to ${SUMS} }
    }
  }
}`;
const CREATE = 'mutation ($input: CreateTaskInput!) { createTask(input: $input) { task { id } } }';
const UPDATE =
  'mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { task { id } } }';
const COMPLETE = `mutation ($id: ID!, $at: DateTime, $amount: Float) {
  completeTask(taskId: $id, at: $at, amount: $amount) { completion { id day amount } }
}`;
const COMPLETE_SEVERAL = `mutation ($input: [CompletionInput!]!) {
  completeTasks(input: $input) { results { completion { id day amount } error { reason } } }
}`;
const UNDO = 'mutation ($id: ID!) { undoCompletion(id: $id) { completionId } }';
const SKIP = 'mutation ($id: ID!, $date: Date!) { skipDay(taskId: $id, date: $date) { task { id } } }';
const UNSKIP = 'mutation ($id: ID!, $date: Date!) { unskipDay(taskId: $id, date: $date) { task { id } } }';
const PAUSE = `mutation ($id: ID, $from: Date!, $until: Date) {
  pause(taskId: $id, from: $from, until: $until) { pause { id } }
}`;
const END_PAUSE = 'mutation ($id: ID!, $until: Date!) { endPause(id: $id, until: $until) { user { id } } }';
const PROFILE = 'mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { user { id } } }';
const ARCHIVE = 'mutation ($id: ID!) { archiveTask(id: $id) { task { id } } }';
const UNARCHIVE = 'mutation ($id: ID!) { unarchiveTask(id: $id) { task { id } } }';
const DELETE = 'mutation ($id: ID!) { deleteTask(id: $id) { taskId } }';

const REFUSED = Symbol('refused');

/** As GraphQL takes a schedule. */
const inputOf = (schedule: Schedule | null) => {
  if (schedule === null) return null;
  if ('weekdays' in schedule) return { weekdays: schedule.weekdays.map((weekday) => WEEKDAYS[weekday]) };
  return 'every' in schedule ? schedule : { times: schedule };
};

const targetInputOf = (target: number | null) =>
  target === null ? null : { amount: target / 1_000, unit: 'glasses' };

/** A life as it happens to the service and, on paper, to the model. */
class Story {
  private readonly life = new Life();
  private first = 0;

  private constructor(
    private readonly here: World,
    private readonly user: TestUser,
  ) {}

  static async of(here: World, lived: Lived): Promise<void> {
    here.clock.set(new Date(Date.parse(lived.firstDay) - DAY).toISOString());
    await new Story(here, await here.newUser()).tell(lived);
  }

  private async tell({ firstDay, plans, steps }: Lived): Promise<void> {
    let midnight = Date.parse(firstDay);
    let latest = this.now.getTime();
    this.first = this.life.dayAt(this.now);
    for (const plan of plans) await this.create(plan);

    for (const [number, { gap, offset, what }] of steps.entries()) {
      midnight += gap * DAY;
      latest = Math.max(latest, midnight + offset);
      this.here.clock.set(new Date(latest).toISOString());
      await this.take(what);
      const isLast = number === steps.length - 1;
      if (isLast || number % STEPS === STEPS - 1) await this.compare(`after step ${number}`);
    }
    await this.here.job.run(this.now);
    for await (const drift of new Verification(this.here.database, this.here.clock).run())
      expect(drift).toBeUndefined();
  }

  private get now(): Date {
    return this.here.clock.now();
  }

  private taskOf(number: number): PaperTask | undefined {
    return this.life.tasks[number % this.life.tasks.length];
  }

  /** Data, or the reason of a refusal, which must be the one that is expected. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer of GraphQL
  private async ask(query: string, variables: unknown, reason?: string): Promise<any> {
    const { body } = await this.here.renewed(this.user).rest.post('/graphql', { query, variables });
    const found = body.errors?.[0].extensions.reason;
    const told = `${body.errors?.[0].message}, asked for ${query} with ${JSON.stringify(variables)}`;
    expect(found, told).toBe(reason);
    return reason === undefined ? body.data : REFUSED;
  }

  private async take(step: Step): Promise<void> {
    if (step.act === 'job') return void (await this.here.job.run(this.now));
    if (step.act === 'create') return this.create(step.plan);
    if (step.act === 'undo') return this.undo(step.completion);
    if (step.act === 'unskip') return this.unskip(step.skip);
    if (step.act === 'endPause') return this.endPause(step.pause, step.ahead);
    if (step.act === 'week') {
      this.life.weekStartsOn = step.begins;
      return this.ask(PROFILE, { input: { weekStartsOn: WEEKDAYS[step.begins] } });
    }
    if (step.act === 'move') {
      const { timeZone, dayStartsAt } = step;
      this.life.cut = { timeZone, dayStartsAt };
      return this.ask(PROFILE, { input: { timeZone, dayStartsAt } });
    }
    if (step.act === 'pause' && step.task === null) return this.pause(null, step);
    const task = this.taskOf(step.task ?? 0);
    if (task) await this.change(task, step);
  }

  private async change(task: PaperTask, step: Extract<Step, { task: unknown }>): Promise<void> {
    const { id } = task;
    if (step.act === 'complete') return this.complete(task, step);
    if (step.act === 'skip') return this.skip(task, step.ahead);
    if (step.act === 'pause') return this.pause(task, step);
    if (step.act === 'schedule') {
      task.schedule = step.schedule ?? EVERY_DAY;
      return this.ask(UPDATE, { id, input: { schedule: inputOf(step.schedule) } });
    }
    if (step.act === 'target') {
      task.target = step.target;
      return this.ask(UPDATE, { id, input: { target: targetInputOf(step.target) } });
    }
    if (step.act === 'archive') {
      await this.ask(task.isArchived ? UNARCHIVE : ARCHIVE, { id });
      task.isArchived = !task.isArchived;
      return;
    }
    await this.ask(DELETE, { id });
    this.life.delete(id);
  }

  private async create({ schedule, target }: Plan): Promise<void> {
    const points = 2.5;
    const input = { title: 'Swim', points, schedule: inputOf(schedule), target: targetInputOf(target) };
    const { createTask } = await this.ask(CREATE, { input });
    const { id } = createTask.task;
    this.life.create({
      id,
      madeAt: this.now,
      points: points * 1_000,
      schedule: schedule ?? EVERY_DAY,
      target,
    });
  }

  private async complete(task: PaperTask, { by, ago, amount }: Extract<Step, { act: 'complete' }>) {
    if (by === 'REST') return this.completeByRest(task);
    const at = new Date(this.now.getTime() - ago);
    const refusal = this.life.refusalOf(task, ago);
    const given = { at, ...(amount !== null && { amount: amount / 1_000 }) };
    let completion: { id: string; day: string; amount: number | null } | null;
    if (by === 'several') {
      const input = [{ ...given, taskId: task.id, idempotencyKey: randomUUID() }];
      const [result] = (await this.ask(COMPLETE_SEVERAL, { input })).completeTasks.results;
      expect(result.error?.reason).toBe(refusal);
      completion = result.completion;
    } else {
      const answer = await this.ask(COMPLETE, { ...given, id: task.id }, refusal);
      completion = answer === REFUSED ? null : answer.completeTask.completion;
    }
    if (!completion) return;
    expect(completion).toMatchObject({ day: nameOf(this.life.dayAt(at)), amount: given.amount ?? null });
    this.life.complete(completion.id, task, at, amount);
  }

  private async completeByRest(task: PaperTask): Promise<void> {
    const { status, body } = await this.here.renewed(this.user).completes({ id: Number(task.id) });
    expect(status).toBe(task.isArchived ? 400 : 201);
    if (!task.isArchived) this.life.complete(`${body.id}`, task, this.now, null);
  }

  private async undo(number: number): Promise<void> {
    const done = this.life.done.at(-1 - number);
    if (!done) return;
    const isPossible = this.life.canUndo(done, this.now);
    await this.ask(UNDO, { id: done.id }, isPossible ? undefined : 'DAY_OVER');
    if (isPossible) this.life.undo(done.id);
  }

  private async skip({ id }: PaperTask, ahead: number): Promise<void> {
    const day = this.life.dayAt(this.now) + ahead;
    const refusal = this.life.refusalOfDay(day, this.now);
    await this.ask(SKIP, { id, date: nameOf(day) }, refusal);
    if (refusal) return;
    this.life.unskip(id, day);
    this.life.skips.push({ taskId: id, day });
  }

  private async unskip(number: number): Promise<void> {
    const skip = this.life.skips.at(-1 - number);
    if (!skip) return;
    const refusal = this.life.refusalOfDay(skip.day, this.now);
    await this.ask(UNSKIP, { id: skip.taskId, date: nameOf(skip.day) }, refusal);
    if (!refusal) this.life.unskip(skip.taskId, skip.day);
  }

  private async pause(task: PaperTask | null, { ahead, length }: { ahead: number; length: number | null }) {
    const from = this.life.dayAt(this.now) + ahead;
    const wanted = { taskId: task?.id ?? null, from, until: length === null ? null : from + length };
    const refusal =
      this.life.refusalOfDay(from, this.now) ?? (this.life.isPausedThen(wanted) ? 'PAUSED' : undefined);
    const variables = {
      ...{ id: wanted.taskId, from: nameOf(from) },
      until: wanted.until === null ? null : nameOf(wanted.until),
    };
    const answer = await this.ask(PAUSE, variables, refusal);
    if (answer !== REFUSED) this.life.pauses.push({ ...wanted, id: answer.pause.pause.id });
  }

  private async endPause(number: number, ahead: number): Promise<void> {
    const pause = this.life.pauses.at(-1 - number);
    if (!pause) return;
    const until = this.life.dayAt(this.now) + ahead;
    const isTaken = until >= pause.from && this.life.isPausedThen({ ...pause, until }, pause);
    await this.ask(END_PAUSE, { id: pause.id, until: nameOf(until) }, isTaken ? 'PAUSED' : undefined);
    if (isTaken) return;
    if (until < pause.from) this.life.pauses = this.life.pauses.filter((each) => each !== pause);
    else pause.until = until;
  }

  private async compare(when: string): Promise<void> {
    const today = this.life.dayAt(this.now);
    for (const range of [
      { from: this.first - 9, to: today + 40 },
      { from: today - 12, to: today + 2 },
    ]) {
      const days = { from: nameOf(range.from), to: nameOf(range.to) };
      const { me, all, due, rest } = await this.ask(ME, days);
      expect(me, `The user ${when}`).toEqual(this.life.user(range, this.now));
      const ids = [all, due, rest].map(({ nodes }) => nodes.map(({ id }: { id: string }) => id));
      expect(ids, `Lists ${when}`).toEqual(
        [undefined, true, false].map((isDue) => this.life.list(this.now, isDue)),
      );
      for (const each of this.life.tasks) {
        const { task } = await this.ask(TASK, { id: each.id, ...days });
        expect(task, `Task ${each.id} ${when}`).toEqual(this.life.task(each, range, this.now));
      }
    }
  }
}

describe('After any life', () => {
  let database: Database;
  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.close());

  const batches = Array.from({ length: Math.ceil(LIVES / BATCH) }, (_, number) => ({
    seed: SEED + number,
    numRuns: Math.min(BATCH, LIVES - number * BATCH),
  }));

  it.each(batches)(
    'days, runs and statistics are what the schedules, skips and pauses say ($numRuns lives)',
    async ({ seed, numRuns }) => {
      const here = await world({ database, clock: new TestClock() });
      const property = fc.asyncProperty(life, async (each) => {
        await Story.of(here, each).finally(() => sql`delete from users`.execute(database.query()));
      });
      await fc.assert(property, { seed, numRuns });
    },
  );
});
