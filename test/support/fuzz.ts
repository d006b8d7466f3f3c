import fc from 'fast-check';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Database } from '../../src/database/database.js';
import { createLog } from '../../src/telemetry/log.js';
import { configOf, ownDatabase } from './database.js';
import { driftsOf } from './drifts.js';
import { unsigned } from './forged.js';
import { inhabitant } from './inhabitant.js';
import { type Asker, type Draw, kindIn, type Operation, type Request, valuesFor } from './operations.js';
import { TestClock, type TestUser, type World, world } from './world.js';

// FUZZ_RUNS=2000 asks for more; FUZZ_SEED=… does the same again, with FUZZ_PATH=… what a failure has named.
const RUNS = Number(process.env.FUZZ_RUNS ?? 40);
const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const PATH = process.env.FUZZ_PATH;

/** In every odd text and number, so that an answer that repeats one is caught. */
const MARK = 'zq7x';
const MARKED_NUMBER = '271828182845';

/** In all that belongs to the canary. */
const SECRET = 'canary-4f1d';

/** Everyone's but the canary's, until it is changed. */
const PASSWORD = 'secret1';

/** What whoever sends requests knows by now. */
export class Scene implements Asker {
  private readonly ids = new Map<string, unknown[]>();
  private strangers = 0;
  private address: string;

  constructor(
    readonly user: TestUser,
    /** Whom none of the requests concerns. */
    readonly canary?: Scene,
  ) {
    this.address = user.account.email;
  }

  /** Ids and cursors, wherever they stand in an answer: `kind` is that of the object around them. */
  learn(value: unknown, kind = ''): void {
    if (typeof value !== 'object' || value === null) return;
    const { __typename: type = kind, id, cursor, email } = value as Record<string, unknown>;
    if (type !== 'User' && id !== undefined) this.know(String(type), id);
    if (cursor !== undefined) this.know('cursor', cursor);
    if (id === this.user.id && typeof email === 'string') this.address = email;
    for (const [key, each] of Object.entries(value)) this.learn(each, Array.isArray(value) ? kind : key);
  }

  know(kind: string, id: unknown): void {
    const name = kindIn(kind) ?? kind;
    const plain = /^\d+$/.test(String(id)) ? Number(id) : id;
    this.ids.set(name, [...(this.ids.get(name) ?? []), plain]);
  }

  /** One of the newest of whatever is called that: now and then the canary's, or nobody's. */
  idOf(kind: string, draw: Draw): unknown {
    const own = this.ids.get(kind) ?? [];
    const others = [this.canary?.ids.get(kind) ?? [], [1, 99_999_999]];
    return draw([own, own, own, own, own, own, ...others]).at(draw([-1, -2, -3])) ?? own.at(-1);
  }

  email(draw: Draw): unknown {
    this.strangers += 1;
    const canary = this.canary?.address;
    return draw([
      `stranger-${this.strangers}@example.org`,
      this.address,
      canary,
      ` ${canary?.toUpperCase()} `,
    ]);
  }
}

/** Someone who has one of everything, so that there is something to ask for. */
async function settled(here: World, user: TestUser, canary?: Scene): Promise<Scene> {
  const scene = new Scene(user, canary);
  const { ids } = await inhabitant(here, user, 1);
  for (const [kind, all] of Object.entries(ids)) for (const id of all) scene.know(kind, id);
  return scene;
}

/** A service with a canary in it, and eyes on what must never happen. */
export async function watchedWorld() {
  const faults: string[] = [];
  const log = createLog({ logLevel: 'error' }, { write: (line) => void faults.push(line) });
  const database = await ownDatabase();
  const clock = new TestClock();
  const start = clock.now().toISOString();
  // Without the page: everything is answered in the format of an API.
  const config = { ...configOf(), loginAttemptsPerAddress: 1_000_000 };
  const here = await world({ database, clock, config, log });

  const account = { name: SECRET, email: 'canary@example.com', password: SECRET };
  const canary = await settled(here, await here.newUser(account));
  const { id, rest } = canary.user;
  await rest.put('/api/user/profile', { profile_picture: `https://example.com/${SECRET}` });
  const { token } = (await rest.post('/api/auth/login', account)).body;
  await rest.as(token).ask('mutation { signOut { signedOutAt } }');
  const before = await rowsOf(database, id);

  return {
    ...here,
    newScene: async () => {
      faults.length = 0;
      clock.set(start);
      return settled(here, await here.newUser({ email: 'ana@example.org', password: PASSWORD }), canary);
    },
    /** Throws unless all is as it must be after any requests. */
    assertUnharmed: async () => {
      if (faults.length > 0) throw new Error(`The log tells of faults:\n${faults.join('')}`);
      for (const [table, rows] of await rowsOf(database, id)) {
        const were = before.get(table) ?? '';
        if (rows !== were) throw new Error(`The canary's ${table} were\n${were}\nand have become\n${rows}`);
      }
      expect(await driftsOf(here)).toEqual([]);
    },
    /** Leaves only the canary, so that every run begins alike. */
    clear: async () => {
      await sql`delete from users where id <> ${id}`.execute(database.query());
      await sql`delete from login_attempts`.execute(database.query());
    },
  };
}

type WatchedWorld = Awaited<ReturnType<typeof watchedWorld>>;

/** Kept for whoever tries to log in, whomever it concerns. */
const WRITTEN_BY_ANYONE = ['login_attempts'];
/** Nobody listens for the canary, it is not deleted, and nothing is being brought into it. */
const WITHOUT_CANARY = [
  ...['listeners', 'deleted_accounts', 'jobs', 'account_links', 'identities', 'log_ins'],
  ...['shown_messages', 'reminders', 'webhooks', 'webhook_deliveries'],
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
    const key = OF_THE_USER_BY_ID.includes(tableName) ? 'id' : 'user_id';
    const owner = columns.find((column) => column === key);
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
  for (const secret of [SECRET, canary?.user.id])
    if (secret && text.includes(secret)) throw new Error(`An answer that holds ${secret}`);
}

/** No refusal may repeat what was sent, nor tell what the service is made of. */
export function assertTellsNothing(text: string): void {
  if (text.includes(MARK) || text.includes(MARKED_NUMBER))
    throw new Error(`A refusal that repeats what was sent: ${text}`);
  if (/\.[jt]s\b|\bat [\w.<>]+ \(|node_modules|constraint|syntax error at|undefined|call stack/.test(text))
    throw new Error(`A refusal that tells what the service is made of: ${text}`);
}

/** Something odd in the place of a value, as JSON. */
const ODD = [
  ...['null', 'true', '[]', '{}', '[null]', `["${MARK}"]`, `{"a":"${MARK}"}`, '""', '" "', '"__proto__"'],
  ...['0', '-0', '-1', '1.5', '1e308', '1e400', '-1e400', '5e-324', MARKED_NUMBER, `-${MARKED_NUMBER}`],
  ...['9007199254740993', '9223372036854775808', '1'.repeat(400), '2147483648'],
  ...[`"${MARK}\\u0000"`, `"${MARK}\\ud800"`, `"\\udc00${MARK}"`, '"\\ufeff"', '"\\u202e"', '"ﷺ"'],
  ...[`"${MARK}' or 1=1--"`, `"$1 ${MARK}"`, `"%s${MARK}"`, `"\${${MARK}}"`, `"javascript:${MARK}"`],
  ...['"2026-02-30"', '"0000-01-01"', '"0001-01-01"', '"9999-12-31"', `"${MARK.repeat(10_000)}"`],
  ...['{"toString":1,"valueOf":1,"length":9}', '{"__proto__":{"length":9},"constructor":1}'],
  ...[`${'['.repeat(20_000)}${']'.repeat(20_000)}`, `${'{"a":'.repeat(100)}"${MARK}"${'}'.repeat(100)}`],
];

/** A value that holds no others, or the key of one, in JSON. */
const LEAF = /"(?:[^"\\]|\\.)*":?|-?\d[\d.e+-]*|true|false|null/g;

function withOther(json: string, draw: Draw): string {
  const leaf = draw([...json.matchAll(LEAF)].filter(([text]) => !text.endsWith(':')));
  return leaf ? json.slice(0, leaf.index) + draw(ODD) + json.slice(leaf.index + leaf[0].length) : json;
}

/** Keys that are no fields, or none of this API. */
const STRANGE = [
  `"__proto__":{"title":"${MARK}","points":99,"task_id":1},"constructor":{"prototype":{"trapped":true}}`,
  `"id":1,"user_id":"${MARK}","passwordHash":"${MARK}","current_streak":99,"then":1,"":1,"😀\\ud800":1`,
];

/** What becomes of a body. */
const PACKED: ((text: string) => string)[] = [
  (text) => `[${text}]`,
  (text) => text.slice(0, -1),
  (text) => `${text}${text}`,
  (text) => `\0${text}`,
  (text) => text.replaceAll('}', ',}'),
  (text) => text.replace('{', `{${STRANGE.join()},`),
  () => '',
  () => `"${MARK}"`,
  () => `{"${MARK}`,
  () => '['.repeat(100_000),
  () => `{"title":"${MARK.repeat(70_000)}"}`,
];

const HEADERS: Record<string, string>[] = [
  ...['', 'Bearer', `Bearer ${MARK}`, `Basic ${MARK}`].map((authorization) => ({ authorization })),
  ...['text/plain', `${MARK}/*`, 'application/json; charset=utf-16'].map((each) => ({
    'content-type': each,
  })),
  ...['gzip', MARK].map((encoding) => ({ 'content-encoding': encoding })),
  ...['accept', 'x-forwarded-for', 'cookie', MARK, 'idempotency-key'].map((name) => ({ [name]: MARK })),
];

export interface Asked {
  operation: Operation;
  request: Request;
  headers: Record<string, string>;
}

/** A request for one of the operations: usually one that may be carried out, often enough an odd one. */
function asked(operations: Operation[], scene: Scene, draw: Draw): Asked {
  const operation = draw(operations);
  const values = valuesFor(operation.places, scene, draw);
  const isOdd = () => draw([false, false, false, false, false, true]);
  const name = draw([...values.keys()]);
  if (name !== undefined && isOdd()) values.set(name, withOther(values.get(name) ?? '', draw));
  const request = operation.request(values, scene, draw);
  if (request.path !== '/graphql') request.path = encodeURI(request.path.slice(0, 5_000).toWellFormed());
  if (request.body !== undefined && isOdd() && isOdd()) request.body = draw(PACKED)(request.body);
  const payload = { sub: scene.canary?.user.id, iat: 1_795_000_000, exp: 1_797_500_000 };
  const forged = { authorization: `Bearer ${unsigned(payload)}` };
  return { operation, request, headers: isOdd() ? draw([forged, ...HEADERS]) : {} };
}

/** The same for the same seed. */
export function drawing(seed: number): Draw {
  let state = seed;
  return (options) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
    return options[((state ^ (state >>> 13)) >>> 0) % options.length] as (typeof options)[number];
  };
}

/** Asks as a new user, again and again. A failure tells of the fewest requests that lead to it, and how to send them again. */
export async function fuzz(
  { base, clock, newScene, assertUnharmed, clear }: WatchedWorld,
  operations: Operation[],
  take: (asked: Asked, scene: Scene) => Promise<string>,
): Promise<void> {
  const run = async (seeds: number[]) => {
    const lines: string[] = [];
    try {
      const scene = await newScene();
      for (const seed of seeds) {
        const draw = drawing(seed);
        clock.advance({ ms: draw([0, 0, 0, 0, 0, 0, 1, 3_600_000, 86_400_000]) });
        const step = asked(operations, scene, draw);
        const { method, path, body = '' } = step.request;
        lines.push(`${method} ${base}${path} ${JSON.stringify(step.headers)} ${body.slice(0, 3_000)}`);
        lines.push(`  ${(await take(step, scene)).slice(0, 500)}`);
      }
      await assertUnharmed();
    } catch (error) {
      throw new Error(`${(error as Error).message}\n\n${lines.slice(-20).join('\n')}`);
    } finally {
      await clear();
    }
  };
  const seeds = fc.array(fc.integer(), { minLength: 1, maxLength: 60, size: 'max' });
  const property = fc.asyncProperty(seeds, run);
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
  private readonly carriedOut: string[] = [];

  add(name: string, isCarriedOut: boolean): void {
    this.requests += 1;
    if (isCarriedOut) this.carriedOut.push(name);
  }

  /** Of a few runs nothing is demanded. */
  assertEnough(names: string[]): void {
    const share = this.carriedOut.length / this.requests;
    console.info(`FUZZ_SEED=${SEED}: ${this.requests} requests, a share of ${share} of them carried out`);
    if (PATH || RUNS < 30) return;
    expect(share).toBeGreaterThan(1 / 4);
    expect(names.filter((name) => !this.carriedOut.includes(name))).toEqual([]);
  }
}
