import fc from 'fast-check';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Database } from '../../src/database/database.js';
import { Verification } from '../../src/features/history/completions/verification.js';
import { createLog } from '../../src/telemetry/log.js';
import { configOf, freshDatabase } from './database.js';
import { withFeed } from './feed.js';
import { TestClock, TestUser, type World, world } from './world.js';

// FUZZ_RUNS=2000 asks for more; FUZZ_SEED=… does the same again, with FUZZ_PATH=… what a failure has named.
const RUNS = Number(process.env.FUZZ_RUNS ?? 40);
const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const PATH = process.env.FUZZ_PATH;

/** In every odd text and number, so that an answer that repeats one is caught. */
export const MARK = 'zq7x';
export const MARKED_NUMBER = '271828182845';

/** In all that belongs to the canary. */
const SECRET = 'canary-4f1d';

/** Everyone's but the canary's, until it is changed. */
export const PASSWORD = 'secret1';

/** What whoever sends requests knows by now. */
export class Scene {
  private readonly ids = new Map<string, (number | string)[]>();
  private strangers = 0;
  email: string;

  constructor(
    readonly user: TestUser,
    /** Whom none of the requests concerns. */
    readonly canary?: Scene,
  ) {
    this.email = user.account.email;
  }

  learn(kind: string, id: number | string): void {
    this.ids.set(kind, [...(this.ids.get(kind) ?? []), id]);
  }

  /** One of the newest ids of whatever is called that; undefined without any. */
  idOf(name: string, pick: number): number | string | undefined {
    const kinds = [...this.ids.keys()].filter((kind) => kind.toLowerCase().endsWith(name.toLowerCase()));
    const newest = kinds.flatMap((kind) => this.ids.get(kind)?.slice(-8) ?? []);
    return newest[pick % newest.length];
  }

  newEmail(): string {
    this.strangers += 1;
    return `stranger-${this.strangers}@example.org`;
  }

  /** Changes what subscribers hear of. */
  async stir(): Promise<void> {
    const { rest } = this.user;
    const { status } = await rest.post('/api/task-completions', { task_id: this.idOf('task', 0) });
    // That one is archived or deleted.
    if (status === 400 || status === 404) await this.user.completes(await this.user.hasTask());
    await rest.put(`/api/user-challenges/${this.idOf('userchallenge', 0)}/notes`, { notes: 'Well' });
  }
}

const RESTS = `mutation ($id: ID!, $note: String) {
  skipDay(taskId: $id, date: "2026-11-23", note: $note) { date }
  createPause(input: { from: "2026-12-24", until: "2026-12-31", note: $note }) { pause { id } }
}`;

const LINK = `mutation ($id: ID!, $name: String!) {
  createCheckInLink(taskId: $id, name: $name) { link { id } }
  updateTask(id: $id, input: { reminders: [{ at: "08:00" }] }) { task { id } }
  createCalendarFeed(input: { name: $name }) { calendar { id } }
}`;

/** Someone who has one of everything, so that there is something to ask for. */
async function settled(user: TestUser, canary?: Scene): Promise<Scene> {
  const scene = new Scene(await withFeed(user), canary);
  const { name } = user.account;
  for (const points of [10, 0.1]) {
    const task = await user.hasTask({ title: name, description: name, points });
    const { body: completion } = await user.completes(task, { 'Idempotency-Key': `${name}-${task.id}` });
    scene.learn('Task', task.id);
    scene.learn('TaskCompletion', completion.id);
  }
  const rests = await user.query(RESTS, { id: scene.idOf('Task', 0), note: name });
  scene.learn('Pause', rests.createPause.pause.id);
  const made = await user.query(LINK, { id: scene.idOf('Task', 0), name });
  scene.learn('CheckInLink', made.createCheckInLink.link.id);
  scene.learn('CalendarFeed', made.createCalendarFeed.calendar.id);
  for (let template = 1; template <= 7; template += 1) scene.learn('ChallengeTemplate', template);
  scene.learn('UserChallenge', (await user.hasAccepted(1)).id);
  return scene;
}

/** A service with a canary in it, and eyes on what must never happen. */
export async function watchedWorld() {
  const faults: string[] = [];
  const log = createLog({ logLevel: 'error' }, { write: (line) => void faults.push(line) });
  const database = await freshDatabase();
  const clock = new TestClock();
  const start = clock.now().toISOString();
  // Without the page: everything is answered in the format of an API.
  const config = { ...configOf(), loginAttemptsPerAddress: 1_000_000 };
  const here = await world({ database, clock, config, log });

  const account = { name: SECRET, email: 'canary@example.com', password: SECRET };
  const canary = await settled(await here.newUser(account));
  const { id, rest } = canary.user;
  await rest.put('/api/user/profile', { profile_picture: `https://example.com/${SECRET}` });
  await rest.put(`/api/user-challenges/${canary.idOf('challenge', 0)}/notes`, { notes: SECRET });
  await signOutElsewhere(here, canary.user);
  await hasApiToken(database, id);
  await hasChannel(database, id);
  const before = await rowsOf(database, id);

  return {
    ...here,
    newScene: async () => {
      faults.length = 0;
      clock.set(start);
      return settled(await here.newUser({ email: 'ana@example.org', password: PASSWORD }), canary);
    },
    /** Throws unless all is as it must be after any requests. */
    assertUnharmed: async () => {
      if (faults.length > 0) throw new Error(`The log tells of faults:\n${faults.join('')}`);
      for (const [table, rows] of await rowsOf(database, id)) {
        const were = before.get(table) ?? '';
        if (rows !== were) throw new Error(`The canary's ${table} were\n${were}\nand have become\n${rows}`);
      }
      for await (const drift of new Verification(database, clock).run()) {
        throw new Error(`Counters have drifted: ${JSON.stringify(drift)}`);
      }
    },
    /** Leaves only the canary, so that every run begins alike. */
    clear: async () => {
      await sql`delete from users where id <> ${id}`.execute(database.query());
      await sql`delete from login_attempts`.execute(database.query());
    },
  };
}

/** Ends another token of the same user. */
async function signOutElsewhere({ rest }: World, { base, account }: TestUser): Promise<void> {
  const { token } = (await rest.post('/api/auth/login', account)).body;
  await new TestUser(base, token, account).query('mutation { signOut { signedOutAt } }');
}

const hasChannel = (database: Database, userId: string) =>
  sql`
    insert into channels (id, user_id, kind, name, host, address, token, state, created_at)
    values (gen_random_uuid(), ${userId}::uuid, 'NTFY', ${SECRET}, 'ntfy', ${SECRET}, ${SECRET}, 'WORKING', now())`.execute(
    database.query(),
  );

const hasApiToken = (database: Database, userId: string) =>
  sql`
    insert into api_tokens (id, user_id, name, hash, scopes, ending, created_at)
    values (gen_random_uuid(), ${userId}, ${SECRET}, ${SECRET}, 'READ', 'abcd', now())
  `.execute(database.query());

type WatchedWorld = Awaited<ReturnType<typeof watchedWorld>>;

/** Kept for whoever tries to log in, whomever it concerns. */
const WRITTEN_BY_ANYONE = ['login_attempts'];
/** Nobody listens for the canary, it is not deleted, and nothing is being brought into it. */
const WITHOUT_CANARY = [
  ...['listeners', 'deleted_accounts', 'jobs', 'account_links', 'identities', 'log_ins'],
  ...['check_in_links', 'shown_messages', 'reminders', 'channels', 'webhooks', 'webhook_deliveries'],
];

/** Their key is the user's id. */
const OF_THE_USER_BY_ID = ['users', 'deleted_accounts'];

/** By table, everything that is the user's or nobody's, as text. */
async function rowsOf(database: Database, userId: string): Promise<Map<string, string>> {
  const entities = [...database.orm.getMetadata().getAll().values()].filter(
    ({ tableName }) => !WRITTEN_BY_ANYONE.includes(tableName),
  );
  const dumps = entities.map(({ tableName, props }) => {
    const columns = props.flatMap(({ fieldNames }) => fieldNames);
    const owner = OF_THE_USER_BY_ID.includes(tableName)
      ? 'id'
      : columns.find((column) => column === 'user_id');
    const isTheirs = owner ? sql`${sql.ref(owner)} = ${userId}` : sql`true`;
    return sql`
      select ${sql.lit(tableName)} as name, ${sql.lit(owner !== undefined)} as is_owned,
        string_agg(each::text, ${'\n'} order by each::text) as rows
      from ${sql.table(tableName)} each where ${isTheirs}`;
  });
  type Dump = { name: string; is_owned: boolean; rows: string | null };
  const found = await sql<Dump>`${sql.join(dumps, sql` union all `)}`.execute(database.query());
  for (const { name, is_owned, rows } of found.rows) {
    if (is_owned && rows === null && !WITHOUT_CANARY.includes(name))
      throw new Error(`The canary has nothing in ${name}, so nothing of it could change`);
  }
  return new Map(found.rows.map(({ name, rows }) => [name, rows ?? '']));
}

/** No answer to anyone else may hold what is the canary's. */
export function assertKeepsSecrets(text: string, { canary }: Scene): void {
  for (const secret of [SECRET, canary?.user.id, canary?.email])
    if (secret && text.includes(secret)) throw new Error(`An answer that holds ${secret}`);
}

/** No refusal may repeat what was sent, nor tell what the service is made of. */
export function assertTellsNothing(text: string): void {
  if (text.includes(MARK) || text.includes(MARKED_NUMBER))
    throw new Error(`A refusal that repeats what was sent: ${text}`);
  if (/\.[jt]s\b|\bat [\w.<>]+ \(|node_modules|constraint|syntax error at|undefined|call stack/.test(text))
    throw new Error(`A refusal that tells what the service is made of: ${text}`);
}

export interface Step {
  /** In milliseconds: how long after the one before. */
  pause: number;
}

/** One of them, in these proportions. */
export const mix = <T>(...parts: [weight: number, arbitrary: fc.Arbitrary<T>][]): fc.Arbitrary<T> =>
  fc.oneof({ withCrossShrink: true }, ...parts.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** Usually none. */
export const pauses = mix<number>([6, fc.constant(0)], [1, fc.constantFrom(1, 3_600_000, 86_400_000)]);

/** None, or one or two odd changes, in these proportions. */
export const fewOf = <T>(changes: fc.Arbitrary<T>, none: number, some: number): fc.Arbitrary<T[]> =>
  mix([none, fc.constant([])], [some, fc.array(changes, { minLength: 1, maxLength: 2 })]);

/** Takes steps as a new user, again and again. A failure tells of the fewest that lead to it, and how to take them again. */
export async function fuzz<Some extends Step>(
  { clock, newScene, assertUnharmed, clear }: WatchedWorld,
  steps: fc.Arbitrary<Some>,
  take: (step: Some, scene: Scene, note: (line: string) => void) => Promise<void>,
): Promise<void> {
  const run = async (taken: Some[]) => {
    const lines: string[] = [];
    try {
      const scene = await newScene();
      for (const step of taken) {
        clock.advance({ ms: step.pause });
        await take(step, scene, (line) => lines.push(line.replaceAll(scene.user.token, '$TOKEN')));
      }
      await assertUnharmed();
    } catch (error) {
      throw new Error(`${(error as Error).message}\n\n${lines.slice(-20).join('\n')}`);
    } finally {
      await clear();
    }
  };
  const property = fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 60, size: 'max' }), run);
  const { failed, counterexamplePath, errorInstance } = await fc.check(property, {
    seed: SEED,
    ...(PATH ? { path: PATH, numRuns: 1, endOnFailure: true } : { numRuns: RUNS }),
    interruptAfterTimeLimit: 120_000 + RUNS * 2_000,
    markInterruptAsFailure: true,
  });
  if (!failed) return;
  const what = errorInstance instanceof Error ? errorInstance.message : 'It took too long';
  throw new Error(`${what}\n\nThe same again: FUZZ_SEED=${SEED} FUZZ_PATH=${counterexamplePath}`);
}

/** What was asked for, and how much of it was carried out. */
export class Tally {
  private requests = 0;
  private successes = 0;
  private readonly asked = new Set<string>();
  private readonly carriedOut = new Set<string>();

  add(kinds: string[], isSuccess: boolean): void {
    this.requests += 1;
    for (const kind of kinds) this.asked.add(kind);
    if (!isSuccess) return;
    this.successes += 1;
    for (const kind of kinds) this.carriedOut.add(kind);
  }

  /** Names the seed in any case. Of a few runs nothing is demanded. */
  assertEnough({ asked, carriedOut }: { asked: string[]; carriedOut: string[] }): void {
    console.info(`FUZZ_SEED=${SEED}: ${this.requests} requests, ${this.successes} of them carried out`);
    if (PATH || RUNS < 30) return;
    expect(this.successes / this.requests).toBeGreaterThan(1 / 3);
    expect(asked.filter((kind) => !this.asked.has(kind))).toEqual([]);
    expect(carriedOut.filter((kind) => !this.carriedOut.has(kind))).toEqual([]);
  }
}
