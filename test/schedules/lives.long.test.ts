import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.js';
import { Verification } from '../../src/features/history/completions/verification.js';
import { freshDatabase } from '../support/database.js';
import { DAY } from '../support/wall-clock.js';
import { TestClock, type TestUser, type World, world } from '../support/world.js';
import { goTogether, hasGraceDay, inputOf, Life, type PaperTask, type Target } from './life.js';
import { EVERY_DAY, nameOf, WEEKDAYS } from './model.js';
import { type OwnStep, type Plan, type Step, story, type Told } from './stories.js';

// HABIT_LIVES=1000 tells more lives; HABIT_SEED=… tells those again that a failure has named.
const LIVES = Number(process.env.HABIT_LIVES ?? 60);
const SEED = Number(process.env.HABIT_SEED ?? Math.floor(Math.random() * 2 ** 31));
const BATCH = 5;

/** Steps after which everything is compared. */
const STEPS = 3;

const STREAK = 'streak { unit count longest doneToday atRisk aliveUntil }';
const DAYS = 'date completionCount points firstCompletedAt streakEffect';
const STANDINGS = ['OPEN', 'KEPT', 'PLANNED', 'UNPLANNED'];
const ME = `query ($from: Date!, $to: Date!) {
  me { points currentStreak maxStreak ${STREAK} calendar(from: $from, to: $to) { ${DAYS} dueCount keptCount } }
  all: tasks { nodes { id } }
  ${STANDINGS.map((each) => `${each}: tasks(today: ${each}) { nodes { id } }`).join(' ')}
}`;
const TASK = `query ($id: ID!, $from: Date!, $to: Date!) {
  task(id: $id) {
    completionCount today { date completionCount lastCompletion { id } state amount periodAmount isDue isOpen isKept filters remaining } ${STREAK} nextDueOn
    calendar(from: $from, to: $to) { ${DAYS} state isDue isSkipped amount }
  }
}`;
const CREATE = 'mutation ($input: CreateTaskInput!) { createTask(input: $input) { task { id } } }';
const UPDATE =
  'mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { task { id } } }';
const COMPLETE = `mutation ($id: ID!, $at: DateTime, $amount: Float) {
  completeTask(taskId: $id, at: $at, amount: $amount) { completion { id day amount } }
}`;
const RECORD = `mutation ($input: [CompletionInput!]!) {
  completeTasks(input: $input) { results { completion { id day amount } error { reason } } }
}`;
const ofId = (field: string) => `mutation ($id: ID!) { ${field}(id: $id) { __typename } }`;
const [UNDO, DELETE_PAUSE] = [ofId('undoCompletion'), ofId('deletePause')];
const [ARCHIVE, UNARCHIVE, DELETE] = [ofId('archiveTask'), ofId('unarchiveTask'), ofId('deleteTask')];
const [SKIP, UNSKIP] = ['skipDay', 'unskipDay'].map(
  (field) => `mutation ($id: ID!, $date: Date!) { ${field}(taskId: $id, date: $date) { task { id } } }`,
) as [string, string];
const PAUSE = `mutation ($id: ID, $from: Date!, $until: Date) {
  createPause(input: { taskId: $id, from: $from, until: $until }) { pause { id } }
}`;
const END_PAUSE =
  'mutation ($id: ID!, $until: Date!) { updatePause(id: $id, input: { until: $until }) { user { id } } }';
const PROFILE = 'mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { user { id } } }';

const REFUSED = Symbol('refused');

const targetInputOf = (target: Target | null) =>
  target === null ? null : { ...target, amount: target.amount / 1_000, unit: 'glasses' };

/** The service, which may be started anew. */
interface Stage {
  here: World;
}

/** A life as it happens to the service and, on paper, to the model. */
class Person {
  readonly life = new Life();
  private readonly first = this.life.dayAt(this.now);

  private constructor(
    private readonly stage: Stage,
    private readonly user: TestUser,
  ) {}

  static async with(plans: Plan[], stage: Stage): Promise<Person> {
    const person = new Person(stage, await stage.here.newUser());
    for (const plan of plans) await person.create(plan);
    return person;
  }

  private get now(): Date {
    return this.stage.here.clock.now();
  }

  private taskOf(number: number): PaperTask | undefined {
    return this.life.tasks[number % this.life.tasks.length];
  }

  /** Data, or the reason of a refusal, which must be the one that is expected. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer of GraphQL
  private async ask(query: string, variables: object, reason?: string): Promise<any> {
    const body = await this.stage.here.renewed(this.user).rest.ask(query, variables);
    const found = body.errors?.[0].extensions.reason;
    const told = `${body.errors?.[0].message}, asked for ${query} with ${JSON.stringify(variables)}`;
    expect(found, told).toBe(reason);
    return reason === undefined ? body.data : REFUSED;
  }

  take(step: OwnStep): Promise<void> {
    const act = this.acts[step.act] as (step: OwnStep, task?: PaperTask) => Promise<void>;
    if (!('task' in step) || step.task === null) return act(step);
    const task = this.taskOf(step.task);
    return task ? act(step, task) : Promise.resolve();
  }

  private readonly acts: {
    [Act in OwnStep['act']]: (
      step: Extract<OwnStep, { act: Act }>,
      task: Extract<OwnStep, { act: Act }> extends { task: number } ? PaperTask : PaperTask | undefined,
    ) => Promise<void>;
  } = {
    create: ({ plan }) => this.create(plan),
    complete: async ({ ago, amount }, task) => {
      const given = this.doneInput(amount, ago);
      const answer = await this.ask(COMPLETE, { ...given, id: task.id }, this.life.refusalOf(task, ago));
      if (answer !== REFUSED) this.note(task, { given, amount }, answer.completeTask.completion);
    },
    /** By REST, which knows no instants and no amounts. */
    tap: async ({ times, key }, task) => {
      const headers: Record<string, string> = key === null ? {} : { 'Idempotency-Key': key };
      const tap = () => this.stage.here.renewed(this.user).completes({ id: Number(task.id) }, headers);
      const answers = await Promise.all(Array.from({ length: times }, tap));
      const earlier = this.life.done.find((each) => key !== null && each.key === key);
      const isRefused = earlier ? earlier.taskId !== task.id : task.archivedAt !== null;
      expect(answers.map(({ status }) => status)).toEqual(Array(times).fill(isRefused ? 400 : 201));
      if (isRefused) return;
      const ids = new Set(answers.map(({ body }) => `${body.id}`));
      expect(ids.size).toBe(key === null ? times : 1);
      if (earlier) return expect([...ids]).toEqual([earlier.id]);
      for (const id of ids) this.life.complete(task, { id, at: this.now, amount: null, key }, this.now);
    },
    /** What was done a while ago, in one request. */
    record: async ({ done }) => {
      if (this.life.tasks.length === 0) return;
      const meant = done.map(({ task, amount, ago }) => ({
        ...{ task: this.taskOf(task) as PaperTask, amount, ago, given: this.doneInput(amount, ago) },
      }));
      const input = meant.map(({ task: { id: taskId }, given }) => ({
        ...{ ...given, taskId, idempotencyKey: randomUUID() },
      }));
      const { results } = (await this.ask(RECORD, { input })).completeTasks;
      for (const [index, { task, ago, ...each }] of meant.entries()) {
        const { completion, error } = results[index];
        expect(error?.reason).toBe(this.life.refusalOf(task, ago));
        if (completion) this.note(task, each, completion);
      }
    },
    undo: async ({ completion }) => {
      const done = this.life.done.at(-1 - completion);
      if (!done) return;
      const isPossible = this.life.canUndo(done, this.now);
      await this.ask(UNDO, { id: done.id }, isPossible ? undefined : 'TOO_LONG_AGO');
      if (isPossible) this.life.undo(done.id, this.now);
    },
    reprice: async ({ points }, task) => {
      task.points = points;
      await this.ask(UPDATE, { id: task.id, input: { points: points / 1_000 } });
    },
    schedule: async (step, task) => {
      const schedule = step.schedule ?? EVERY_DAY;
      const refusal = goTogether(schedule, task.target) ? undefined : 'INVALID_INPUT';
      const input = { schedule: inputOf(schedule), hasGraceDay: hasGraceDay(schedule) };
      await this.ask(UPDATE, { id: task.id, input }, refusal);
      if (!refusal) task.schedule = schedule;
    },
    target: async ({ target }, task) => {
      const refusal = this.life.refusalOfTarget(task, target);
      await this.ask(UPDATE, { id: task.id, input: { target: targetInputOf(target) } }, refusal);
      if (!refusal) task.target = target;
    },
    archive: async (_step, task) => {
      await this.ask(task.archivedAt ? UNARCHIVE : ARCHIVE, { id: task.id });
      task.archivedAt = task.archivedAt ? null : this.now;
      task.archivedOn = undefined;
    },
    delete: async (_step, { id }) => {
      await this.ask(DELETE, { id });
      this.life.delete(id, this.now);
    },
    week: async ({ begins }) => {
      this.life.weekStartsOn = begins;
      await this.ask(PROFILE, { input: { weekStartsOn: WEEKDAYS[begins] } });
    },
    move: async ({ timeZone, dayStartsAt }) => {
      this.life.move({ timeZone, dayStartsAt });
      await this.ask(PROFILE, { input: { timeZone, dayStartsAt } });
    },
    skip: async ({ ahead }, { id }) => {
      const day = this.life.dayAt(this.now) + ahead;
      const refusal = this.life.refusalOfDay(day, this.now);
      await this.ask(SKIP, { id, date: nameOf(day) }, refusal);
      if (refusal) return;
      this.life.unskip(id, day);
      this.life.skips.push({ taskId: id, day });
    },
    unskip: async (step) => {
      const skip = this.life.skips.at(-1 - step.skip);
      if (!skip) return;
      const refusal = this.life.refusalOfDay(skip.day, this.now);
      await this.ask(UNSKIP, { id: skip.taskId, date: nameOf(skip.day) }, refusal);
      if (!refusal) this.life.unskip(skip.taskId, skip.day);
    },
    pause: async ({ ahead, length }, task) => {
      const from = this.life.dayAt(this.now) + ahead;
      const wanted = { taskId: task?.id ?? null, from, until: length === null ? null : from + length };
      const overlaps = this.life.isPausedThen(wanted) ? 'PAUSE_OVERLAPS' : undefined;
      const refusal = this.life.refusalOfDay(from, this.now) ?? overlaps;
      const until = wanted.until === null ? null : nameOf(wanted.until);
      const answer = await this.ask(PAUSE, { id: wanted.taskId, from: nameOf(from), until }, refusal);
      if (answer !== REFUSED) this.life.pause({ ...wanted, id: answer.createPause.pause.id });
    },
    endPause: async (step) => {
      const pause = this.life.pauses.at(-1 - step.pause);
      if (!pause) return;
      const until = this.life.dayAt(this.now) + step.ahead;
      const overlaps = this.life.isPausedThen({ ...pause, until }, pause) ? 'PAUSE_OVERLAPS' : undefined;
      const refusal = until < pause.from ? 'INVALID_INPUT' : overlaps;
      await this.ask(END_PAUSE, { id: pause.id, until: nameOf(until) }, refusal);
      if (!refusal) pause.until = until;
    },
    deletePause: async (step) => {
      const pause = this.life.pauses.at(-1 - step.pause);
      if (!pause) return;
      await this.ask(DELETE_PAUSE, { id: pause.id });
      this.life.pauses = this.life.pauses.filter((each) => each !== pause);
    },
  };

  private async create({ schedule, target, points }: Plan): Promise<void> {
    const planned = schedule ?? EVERY_DAY;
    const input = {
      ...{ title: 'Swim', points: points / 1_000, target: targetInputOf(target) },
      ...{ schedule: schedule && inputOf(schedule), hasGraceDay: hasGraceDay(planned) },
    };
    const refusal = goTogether(planned, target) ? undefined : 'INVALID_INPUT';
    const answer = await this.ask(CREATE, { input }, refusal);
    if (answer === REFUSED) return;
    this.life.create({ id: answer.createTask.task.id, madeAt: this.now, points, schedule: planned, target });
  }

  /** As GraphQL takes what was done. */
  private doneInput(amount: number | null, ago: number) {
    return { at: new Date(this.now.getTime() - ago), ...(amount !== null && { amount: amount / 1_000 }) };
  }

  private note(
    task: PaperTask,
    { given, amount }: { given: { at: Date; amount?: number }; amount: number | null },
    completion: { id: string; day: string; amount: number | null },
  ): void {
    const { at } = given;
    expect(completion).toMatchObject({ day: nameOf(this.life.dayAt(at)), amount: given.amount ?? null });
    this.life.complete(task, { id: completion.id, at, amount, key: null }, this.now);
  }

  async compareStored(when: string): Promise<void> {
    const query = this.stage.here.database.query();
    const { rows: counters } = await sql`
      select points, current_streak, max_streak, last_active_on, run_started_on, longest_run,
        last_user_day, user_run_started_on, user_run_count, longest_user_run
      from user_progress where user_id = ${this.user.id}`.execute(query);
    expect(counters, `Counters ${when}`).toEqual([this.life.counters()]);
    const { rows: tasks } = await sql`
      select id, completion_count, last_completed_at, last_day, run_started_on, run_count, longest_run
      from tasks where user_id = ${this.user.id} order by id`.execute(query);
    expect(tasks, `Tasks ${when}`).toMatchObject(this.life.tasks.map((each) => this.life.taskCounters(each)));
  }

  async compare(when: string): Promise<void> {
    const today = this.life.dayAt(this.now);
    for (const range of [
      { from: this.first - 9, to: today + 40 },
      { from: today - 12, to: today + 2 },
    ]) {
      const days = { from: nameOf(range.from), to: nameOf(range.to) };
      const { me, all, ...lists } = await this.ask(ME, days);
      expect(me, `The user ${when}`).toEqual(this.life.user(range, this.now));
      const idsOf = ({ nodes }: { nodes: { id: string }[] }) => nodes.map(({ id }) => id);
      expect(idsOf(all), `The list ${when}`).toEqual(this.life.list(this.now));
      for (const each of STANDINGS)
        expect(idsOf(lists[each]), `${each} ${when}`).toEqual(
          this.life.list(this.now, (habit, on) => habit.standings(on).includes(each)),
        );
      for (const each of this.life.tasks) {
        const { task } = await this.ask(TASK, { id: each.id, ...days });
        expect(task, `Task ${each.id} ${when}`).toEqual(this.life.task(each, range, this.now));
      }
    }
  }
}

async function tell(stage: Stage, { firstDay, plans, mayOvertake, steps }: Told): Promise<void> {
  const { clock, database } = stage.here;
  let midnight = Date.parse(firstDay);
  let latest = midnight - DAY;
  clock.set(new Date(latest).toISOString());
  const people: Person[] = [];
  for (const each of plans) people.push(await Person.with(each, stage));

  for (const [number, { gap, offset, who, what }] of steps.entries()) {
    midnight += gap * DAY;
    const at = mayOvertake ? midnight + offset : Math.max(latest, midnight + offset);
    latest = Math.max(latest, at);
    clock.set(new Date(at).toISOString());
    const person = people[who % people.length];
    if (what.act === 'restart') stage.here = await world({ database, clock });
    else if (what.act === 'job') await runJob(stage, people, what);
    else await person?.take(what);
    const when = `after step ${number}, ${JSON.stringify(what)}`;
    for (const each of people) await each.compareStored(when);
    if (number % STEPS === STEPS - 1) await person?.compare(when);
  }
  for (const now of [latest, latest + 3 * DAY]) {
    clock.set(new Date(now).toISOString());
    for (const person of people) await person.compare(`at ${now}`);
    await runJob(stage, people, { ahead: 0, runs: 'once' });
    for (const person of people) await person.compareStored(`at ${now}, after the job`);
    for await (const drift of new Verification(database, clock).run()) expect(drift).toBeUndefined();
  }
}

/** However often it runs, each wrong row is corrected once, and no other is written. */
async function runJob(
  { here: { clock, job } }: Stage,
  people: Person[],
  { ahead, runs }: Pick<Extract<Step, { act: 'job' }>, 'ahead' | 'runs'>,
): Promise<void> {
  const now = new Date(clock.now().getTime() + ahead);
  const wrong = people.filter(({ life }) => life.correct(now)).length;
  const reports = runs === 'at once' ? await Promise.all([job.run(now), job.run(now)]) : [await job.run(now)];
  if (runs === 'twice') reports.push(await job.run(now));
  expect(reports.reduce((total, { corrected }) => total + corrected, 0)).toBe(wrong);
}

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
  'After any lives counters, days, runs and statistics are what was done, planned and rested ($numRuns lives)',
  async ({ seed, numRuns }) => {
    const stage = { here: await world({ database, clock: new TestClock() }) };
    const property = fc.asyncProperty(story, async (each) => {
      await tell(stage, each).finally(() => sql`delete from users`.execute(database.query()));
    });
    await fc.assert(property, { seed, numRuns, interruptAfterTimeLimit: 200_000 }); // a failure is told before the test is given up
  },
);
