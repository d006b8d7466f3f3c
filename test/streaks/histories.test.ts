import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Verification } from '../../src/completions/verification.js';
import type { Database } from '../../src/database/database.js';
import { freshDatabase } from '../support/database.js';
import { firstDay, moment, SECOND, ZONES } from '../support/moments.js';
import { StreakModel } from '../support/streak-model.js';
import { DAY, HOUR } from '../support/wall-clock.js';
import { TestClock, type TestUser, type World, world } from '../support/world.js';

// STREAK_HISTORIES=1000 tells more stories; STREAK_SEED=… tells those again that a failure has named.
const HISTORIES = Number(process.env.STREAK_HISTORIES ?? 25);
const SEED = Number(process.env.STREAK_SEED ?? Math.floor(Math.random() * 2 ** 31));
const BATCH = 25;

const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      ...moment,
      act: fc.constant('complete' as const),
      user: fc.nat(2),
      task: fc.nat(2),
      /** Requests at the same instant. */
      times: fc.constantFrom(1, 1, 1, 2, 3),
      key: fc.option(fc.constantFrom('a', 'b', 'c'), { freq: 4 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      ...moment,
      act: fc.constant('job' as const),
      /** How far its clock is ahead of the others. */
      ahead: fc.constantFrom(0, 0, 0, 1, -1, 3 * SECOND, -3 * SECOND, HOUR, DAY, -DAY, 10 * DAY),
      runs: fc.constantFrom('once', 'twice', 'at once'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      ...moment,
      act: fc.constant('reprice' as const),
      user: fc.nat(2),
      task: fc.nat(2),
      points: fc.constantFrom(0.1, 0.2, 7.125, 10),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...moment,
      act: fc.constant('undo' as const),
      user: fc.nat(2),
      /** 0 is the newest. */
      completion: fc.oneof(fc.constant(0), fc.nat(5)),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      ...moment,
      act: fc.constant('delete' as const),
      user: fc.nat(2),
      task: fc.nat(2),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...moment,
      act: fc.constant('move' as const),
      user: fc.nat(2),
      timeZone: fc.constantFrom(...ZONES),
      dayStartsAt: fc.oneof(fc.constant(0), fc.nat(6)),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      ...moment,
      act: fc.constant('record' as const),
      user: fc.nat(2),
      /** How long ago each was done. */
      done: fc.array(
        fc.record({
          task: fc.nat(2),
          ago: fc.oneof(
            fc.integer({ min: 0, max: 7 * DAY }),
            fc.constantFrom(0, HOUR, 12 * HOUR, DAY, DAY + 1, DAY - 1, 2 * DAY, 7 * DAY),
          ),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ ...moment, act: fc.constant('restart' as const) }) },
);

const history = fc.record({
  firstDay,
  /** Points of each user's tasks. */
  users: fc.array(fc.array(fc.constantFrom(0.1, 0.2, 2.5, 10, 1_000_000), { minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 3,
  }),
  /** Whether an instant may lie before that of the step before, as when one request overtakes another. */
  mayOvertake: fc.boolean(),
  steps: fc.array(step, { minLength: 1, maxLength: 24, size: 'max' }),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

interface Person {
  user: TestUser;
  tasks: { id: number; points: number }[];
  model: StreakModel;
  /** What the service calls the completions of the model, in the same order. */
  recorded: { id: number; key: string | null }[];
}

const COUNTERS =
  '{ me { points currentStreak maxStreak streak { days longest doneToday atRisk aliveUntil } } }';
const TASKS = `{ tasks { nodes {
  id today { date completions lastCompletionId } streak { days longest doneToday atRisk aliveUntil }
} } }`;
const TASK_CALENDARS = `query ($from: Date!, $to: Date!) {
  tasks { nodes { calendar(from: $from, to: $to) { date completions points firstCompletedAt streak } } }
}`;
const CALENDAR = `query ($from: Date!, $to: Date!) {
  me { calendar(from: $from, to: $to) { date completions points firstCompletedAt streak } }
}`;

const MOVE = 'mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { user { id } } }';

const RECORD = `mutation ($input: [CompletionInput!]!) {
  completeTasks(input: $input) { results { completion { id day } error { message } } }
}`;

const UNDO = 'mutation ($id: ID!) { undoCompletion(id: $id) { completionId } }';

const DELETE = 'mutation ($id: ID!) { deleteTask(id: $id) { taskId } }';

const dayOf = (at: Date) => at.toISOString().slice(0, 10);

const pick = <T>(list: T[], number: number) => list[number % list.length] as T;

/** A history as it happens to the service and, on paper, to the model. */
class Story {
  private readonly people: Person[] = [];
  private first = new Date();
  private latest = new Date();
  private middle = new Date();

  constructor(private here: World) {}

  async tell({ firstDay, users, mayOvertake, steps }: History): Promise<void> {
    let midnight = Date.parse(firstDay);
    this.first = new Date(midnight - DAY);
    this.latest = this.first;
    this.setClock(this.first);
    for (const points of users) this.people.push(await this.person(points));

    for (const [number, each] of steps.entries()) {
      midnight += each.gap * DAY;
      const at = new Date(midnight + each.offset);
      this.setClock(mayOvertake || at > this.latest ? at : this.latest);
      if (number < steps.length / 2) this.middle = this.latest;
      await this.take(each);
      await this.compare(`after step ${number}, ${JSON.stringify(each)}`);
    }
    await this.conclude();
  }

  /** The service in use by the end of the story. */
  get world(): World {
    return this.here;
  }

  private setClock(at: Date): void {
    this.here.clock.set(at.toISOString());
    if (at > this.latest) this.latest = at;
  }

  private async person(points: number[]): Promise<Person> {
    const user = await this.here.newUser();
    const tasks: Person['tasks'] = [];
    for (const each of points) tasks.push({ id: (await user.hasTask({ points: each })).id, points: each });
    return { user, tasks, model: new StreakModel(), recorded: [] };
  }

  private async take(act: Step): Promise<void> {
    const { clock, database, renewed } = this.here;
    if (act.act === 'complete') return this.complete(pick(this.people, act.user), act);
    if (act.act === 'job') return this.runJob(new Date(clock.now().getTime() + act.ahead), act.runs);
    if (act.act === 'undo') return this.undo(pick(this.people, act.user), act.completion);
    if (act.act === 'delete') return this.delete(pick(this.people, act.user), act.task);
    if (act.act === 'restart') {
      this.here = await world({ database, clock });
      return;
    }
    if (act.act === 'record') return this.record(pick(this.people, act.user), act.done);
    if (act.act === 'move') return this.move(pick(this.people, act.user), act);
    const { user, tasks } = pick(this.people, act.user);
    const task = pick(tasks, act.task);
    task.points = act.points;
    await renewed(user).rest.put(`/api/tasks/${task.id}`, { points: act.points });
  }

  private async complete(
    { user, tasks, model, recorded }: Person,
    { task: number, times, key }: { task: number; times: number; key: string | null },
  ): Promise<void> {
    const { id: taskId, points } = pick(tasks, number);
    const client = this.here.renewed(user);
    const headers: Record<string, string> = key === null ? {} : { 'Idempotency-Key': key };
    const answers = await Promise.all(
      Array.from({ length: times }, () => client.completes({ id: taskId }, headers)),
    );
    const used = recorded.findIndex((each) => key !== null && each.key === key);
    const isRefused = used >= 0 && model.completions[used]?.taskId !== taskId;
    expect(answers.map(({ status }) => status)).toEqual(Array(times).fill(isRefused ? 400 : 201));
    if (used >= 0) return;
    const ids = new Set<number>(answers.map(({ body }) => body.id));
    expect(ids.size).toBe(key === null ? times : 1);
    for (const id of ids) {
      model.complete({ at: this.here.clock.now(), points, taskId });
      recorded.push({ id, key });
    }
  }

  /** What was done a while ago, in one request. */
  private async record(
    { user, tasks, model, recorded }: Person,
    done: { task: number; ago: number }[],
  ): Promise<void> {
    const now = this.here.clock.now();
    const meant = done.map(({ task, ago }) => ({ ...pick(tasks, task), at: new Date(now.getTime() - ago) }));
    const input = meant.map(({ id: taskId, at }) => ({ taskId, at, idempotencyKey: randomUUID() }));
    const { completeTasks } = await this.here.renewed(user).graphql.request<{
      completeTasks: { results: { completion: { id: string }; error: unknown }[] };
    }>(RECORD, { input });
    for (const [index, { completion, error }] of completeTasks.results.entries()) {
      expect(error).toBeNull();
      const { id: taskId, points, at } = meant[index] as (typeof meant)[number];
      model.complete({ at, points, taskId }, now);
      recorded.push({ id: Number(completion.id), key: null });
    }
  }

  private async move(
    { user, model }: Person,
    { timeZone, dayStartsAt }: { timeZone: string; dayStartsAt: number },
  ) {
    await this.here.renewed(user).graphql.request(MOVE, { input: { timeZone, dayStartsAt } });
    model.move(timeZone, dayStartsAt);
  }

  private async undo({ user, model, recorded }: Person, number: number): Promise<void> {
    const index = recorded.length - 1 - number;
    const { id } = recorded[index] ?? { id: 0 };
    const isUndone = model.undo(index, this.here.clock.now());
    if (isUndone) recorded.splice(index, 1);
    const { rest } = this.here.renewed(user);
    const { body } = await rest.post('/graphql', { query: UNDO, variables: { id } });
    const refusal = { errors: [{ extensions: { reason: index < 0 ? 'NOT_FOUND' : 'DAY_OVER' } }] };
    expect(body).toMatchObject(isUndone ? { data: { undoCompletion: { completionId: `${id}` } } } : refusal);
  }

  /** All but the last task. */
  private async delete({ user, tasks, model, recorded }: Person, number: number): Promise<void> {
    if (tasks.length === 1) return;
    const [{ id } = { id: 0 }] = tasks.splice(number % tasks.length, 1);
    await this.here.renewed(user).graphql.request(DELETE, { id });
    const left = recorded.filter((_, index) => model.completions[index]?.taskId !== id);
    recorded.splice(0, recorded.length, ...left);
    model.forget(id, this.here.clock.now());
  }

  /** However often it runs, each wrong row is corrected once, and no other is written. */
  private async runJob(now: Date, runs: 'once' | 'twice' | 'at once'): Promise<void> {
    const wrong = this.people.filter(({ model }) => model.job(now)).length;
    const { job } = this.here;
    const reports =
      runs === 'at once' ? await Promise.all([job.run(now), job.run(now)]) : [await job.run(now)];
    if (runs === 'twice') reports.push(await job.run(now));
    expect(reports.reduce((total, { corrected }) => total + corrected, 0)).toBe(wrong);
  }

  private async compare(when: string): Promise<void> {
    const query = this.here.database.query();
    const { rows: counters } = await sql<{ user_id: string }>`
      select user_id, points, current_streak, max_streak, last_active_on, run_started_on, longest_run,
        last_user_day, user_run_started_on, longest_user_run
      from user_progress`.execute(query);
    const { rows: tasks } = await sql<{ id: number }>`
      select id, completion_count, last_completed_at, last_day, run_started_on, longest_run from tasks order by id`.execute(
      query,
    );
    expect(new Map(counters.map(({ user_id, ...row }) => [user_id, row])), `Counters ${when}`).toEqual(
      new Map(this.people.map(({ user, model }) => [user.id, model.counters()])),
    );
    expect(tasks, `Tasks ${when}`).toEqual(
      this.people.flatMap(({ tasks, model }) => tasks.map(({ id }) => ({ id, ...model.taskCounters(id) }))),
    );
    for (const person of this.people) {
      expect(await this.shown(person), `GraphQL ${when}`).toEqual(this.told(person));
      expect(await this.tasksShown(person), `Tasks in GraphQL ${when}`).toEqual(this.tasksTold(person));
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: an answer of GraphQL
  private async shown({ user }: Person): Promise<any> {
    return (await this.here.renewed(user).graphql.request<{ me: unknown }>(COUNTERS)).me;
  }

  private async tasksShown({ user }: Person): Promise<unknown> {
    const { tasks } = await this.here
      .renewed(user)
      .graphql.request<Record<'tasks', { nodes: unknown }>>(TASKS);
    return tasks.nodes;
  }

  private tasksTold({ tasks, model, recorded }: Person): unknown {
    const now = this.here.clock.now();
    return tasks.map(({ id }) => ({
      id: `${id}`,
      today: model.today(id, now, recorded),
      streak: model.streak(now, id),
    }));
  }

  private told({ model }: Person) {
    const { points, current_streak: currentStreak, max_streak: maxStreak } = model.counters();
    return { points, currentStreak, maxStreak, streak: model.streak(this.here.clock.now()) };
  }

  /** What must be true after any history. */
  private async conclude(): Promise<void> {
    const { clock, database, job, renewed } = this.here;
    const to = new Date(this.latest.getTime() + 3 * DAY);
    const firstDays = [new Date(this.first.getTime() - DAY), this.middle];
    for (const now of [this.latest, to]) {
      this.setClock(now);
      for (const { user, tasks, model } of this.people) {
        for (const from of firstDays) {
          const variables = { from: dayOf(from), to: dayOf(to) };
          const { me } = await renewed(user).graphql.request<{ me: unknown }>(CALENDAR, variables);
          expect(me, `Calendar at ${now}`).toEqual({ calendar: model.calendar(from, to, now) });
          const { tasks: shown } = await renewed(user).graphql.request<Record<'tasks', { nodes: unknown }>>(
            TASK_CALENDARS,
            variables,
          );
          expect(shown.nodes, `Calendars of tasks at ${now}`).toEqual(
            tasks.map(({ id }) => ({ calendar: model.calendar(from, to, now, id) })),
          );
        }
      }
      await job.run(clock.now());
      for (const person of this.people) {
        person.model.job(clock.now());
        expect(await this.shown(person)).toEqual(this.told(person));
      }
      for await (const drift of new Verification(database, clock).run()) expect(drift).toBeUndefined();
    }
  }
}

describe('After every step of any history', () => {
  let database: Database;
  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.close());

  const batches = Array.from({ length: Math.ceil(HISTORIES / BATCH) }, (_, number) => ({
    seed: SEED + number,
    numRuns: Math.min(BATCH, HISTORIES - number * BATCH),
  }));

  it.each(batches)(
    'counters, streak and calendar are what the completions say ($numRuns histories)',
    { timeout: 240_000 },
    async ({ seed, numRuns }) => {
      let here = await world({ database, clock: new TestClock() });
      const property = fc.asyncProperty(history, async (each) => {
        const story = new Story(here);
        await story.tell(each).finally(() => sql`delete from users`.execute(database.query()));
        here = story.world;
      });
      await fc.assert(property, {
        seed,
        numRuns,
        interruptAfterTimeLimit: 200_000,
        markInterruptAsFailure: true,
      });
    },
  );
});
