import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Passwords } from '../../src/base/passwords/passwords.js';
import type { Database } from '../../src/database/database.js';
import { MAX_COUNTS } from '../../src/features/account/attempt-counts.js';
import { LoginLimit, type LoginLimitSettings } from '../../src/features/account/login-limit.js';
import { readConfig } from '../../src/features/settings.js';
import { configOf, freshDatabase, ownDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import type { Result } from '../support/live.js';
import { TestClock, type World, type WorldOptions, world } from '../support/world.js';

const limited = ({ database, passwords, ...settings }: WorldOptions & Partial<WorldOptions['config']> = {}) =>
  world({
    ...(database && { database }),
    ...(passwords && { passwords }),
    config: {
      ...configOf(),
      ...{ trustProxy: 1, loginAttemptsPerAccount: 3, loginAttemptsPerAddress: 5 },
      ...settings,
    },
  });

const from = (address: string) => ({ 'X-Forwarded-For': address });

const newByte = () => 1 + Math.floor(Math.random() * 250);
/** Every world an address of its own: the counts are shared by all. */
const newAddress = () => [10, newByte(), newByte(), newByte()].join('.');
/** An IPv6 network such as a provider gives to one customer. */
const newNetwork = () => `2001:db8:${randomUUID().slice(0, 4)}:${randomUUID().slice(0, 4)}`;

const logIn = ({ rest }: World, email: string, password: string, address: string) =>
  rest.post('/api/auth/login', { email, password }, from(address));

/** The statuses of so many attempts, one after the other. */
async function attempts(here: World, count: number, email: string, address: string, password = 'wrong!') {
  const statuses: number[] = [];
  for (let each = 0; each < count; each += 1)
    statuses.push((await logIn(here, email, password, address)).status);
  return statuses;
}

describe('Failed log-ins', () => {
  it('are answered 429 with Retry-After once an account had too many from one address, until their time is over', async () => {
    const here = await limited();
    const { account } = await here.newUser();
    const address = newAddress();
    expect(await attempts(here, 3, account.email, address)).toEqual([401, 401, 401]);
    here.clock.advance({ seconds: 100 });
    const right = (from: string) => logIn(here, account.email, account.password, from);
    const refused = await right(address);
    expect(refused).toMatchObject({
      status: 429,
      body: { error: 'Too many failed log-ins, try again later' },
    });
    expect(refused.headers.get('retry-after')).toBe('800');
    expect((await right(newAddress())).status).toBe(200); // the owner, elsewhere
    here.clock.advance({ seconds: 799 });
    expect((await right(address)).status).toBe(429);
    here.clock.advance({ seconds: 1 });
    expect((await right(address)).status).toBe(200);
  });

  /** From where attempts come, and what each is told. */
  it.each<[how: string, from: () => string[], statuses: number[]]>([
    [
      'by their network where addresses are IPv6: a customer has a whole /64 to choose from',
      () => {
        const network = newNetwork();
        const ends = ['::1', ':1:2:3:4', ':ffff:ffff:ffff:ffff', '::%eth0'];
        return [...ends.map((end) => `${network}${end}`), `${newNetwork()}::1`];
      },
      [401, 401, 401, 429, 401],
    ],
    [
      'one IPv4 address once, whichever way a socket shows it',
      () => {
        const address = newAddress();
        return [address, `::ffff:${address}`, `::FFFF:${address}`, address, `::ffff:${newAddress()}`];
      },
      [401, 401, 401, 429, 401],
    ],
    [
      'even where the address cannot be read as one',
      () => Array(4).fill(`_hidden-${randomUUID()}`),
      [401, 401, 401, 429],
    ],
  ])('count %s', async (_how, addresses, statuses) => {
    const here = await limited();
    const told: number[] = [];
    for (const address of addresses())
      told.push((await logIn(here, 'who@example.com', 'wrong!', address)).status);
    expect(told).toEqual(statuses);
  });

  it('count whatever the case of the e-mail, and over all accounts for an address, known or not', async () => {
    const here = await limited();
    const told = async (emails: string[], from = newAddress()) => {
      const statuses: number[] = [];
      for (const email of emails) statuses.push(...(await attempts(here, 1, email, from)));
      return statuses;
    };
    const one = ['Who@example.com', 'who@EXAMPLE.com', ' who@example.com', 'WHO@EXAMPLE.COM'];
    expect(await told(one)).toEqual([401, 401, 401, 429]);
    const many = [1, 2, 3, 4, 5, 6].map((each) => `nobody-${each}@example.com`);
    expect(await told(many)).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it('are forgiven by a success with the same account, which itself does not count', async () => {
    const here = await limited();
    const { account } = await here.newUser();
    const address = newAddress();
    for (let round = 1; round <= 4; round += 1) {
      expect(await attempts(here, 1, account.email, address)).toEqual([401]);
      expect(await attempts(here, 1, account.email, address, account.password)).toEqual([200]);
    }
  });

  it('cost no hash beyond what is allowed', async () => {
    const { account } = await (await limited()).newUser();
    const passwords = new Passwords({ hashThreads: 0, hashCost: 4 }); // hashes nothing
    const here = await limited({ passwords });
    const address = newAddress();
    const asked = passwords.waiting;
    const statuses: number[] = [];
    const attempt = async () => {
      statuses.push((await logIn(here, account.email, 'wrong!', address)).status);
    };
    // Those that wait for a hash are cut off with the service.
    for (let each = 1; each <= 20; each += 1) attempt().catch(() => {});
    await eventually(() => statuses.length === 17);
    expect(statuses).toEqual(Array(17).fill(429));
    expect((await logIn(here, account.email, account.password, address)).status).toBe(429);
    expect(passwords.waiting - asked).toBe(3);
    await passwords.close();
  });

  it('count on both APIs together, on all processes, and one by one as aliases of one request', async () => {
    const database = await ownDatabase();
    const config = { ...configOf(), loginAttemptsPerAccount: 3 };
    const [one, other] = [await world({ database, config }), await world({ database, config })];
    const [ana, bea] = [(await one.newUser()).account, (await one.newUser()).account];
    await one.rest.post('/api/auth/login', { email: ana.email, password: 'wrong!' });
    const logIn = (email: string, password: string) =>
      `logIn(input: { email: "${email}", password: "${password}" }) { token }`;
    const { data, errors } = await other.rest.ask(`mutation {
      own: ${logIn(bea.email, bea.password)}
      a: ${logIn(ana.email, 'wrong!')}
      b: ${logIn(ana.email, 'wrong!')}
      right: ${logIn(ana.email, ana.password)}
    }`);
    expect(data).toEqual({ own: { token: expect.any(String) }, a: null, b: null, right: null });
    const wrong = { code: 'UNAUTHENTICATED', reason: 'INVALID_CREDENTIALS' };
    expect(errors.map((error: Result) => [error.path[0], error.extensions])).toEqual([
      ['a', wrong],
      ['b', wrong],
      ['right', { code: 'TOO_MANY_REQUESTS', reason: 'TOO_MANY_ATTEMPTS', retryAfter: 900 }],
    ]);
  });

  it('tell nobody whether there is an account with that e-mail address', async () => {
    const here = await limited();
    const answersOf = async (email: string) => {
      const address = newAddress();
      const told: unknown[] = [];
      for (let attempt = 1; attempt <= 4; attempt += 1) {
        const { status, body, headers } = await logIn(here, email, 'wrong!', address);
        told.push([status, body, headers.get('retry-after')]);
      }
      return told;
    };
    const { account } = await here.newUser();
    expect(await answersOf(account.email)).toEqual(await answersOf(`${randomUUID()}@example.com`));
  });

  it('do not count where a fault of ours stopped them, so that it locks nobody out', async () => {
    const database = await ownDatabase();
    const here = await limited({ database });
    const { account } = await here.newUser();
    const address = newAddress();
    await logIn(here, account.email, 'wrong!', address);
    await sql`alter table users rename to elsewhere`.execute(database.query());
    expect(await attempts(here, 6, account.email, address, account.password)).toEqual(Array(6).fill(500));
    await sql`alter table elsewhere rename to users`.execute(database.query());
    expect(await attempts(here, 3, account.email, address)).toEqual([401, 401, 429]); // the first one still counts
  });

  it('leave neither e-mail nor address behind', async () => {
    const database = await ownDatabase();
    const here = await limited({ database });
    const address = newAddress();
    await logIn(here, 'who@example.com', 'wrong!', address);
    const { rows } = await sql`select * from login_attempts`.execute(database.query());
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toMatch(new RegExp(`who|example|${address}`));
  });
});

describe('What failed log-ins leave behind', () => {
  let database: Database;
  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterEach(() => sql`delete from login_attempts`.execute(database.query()));
  afterAll(() => database.close());

  /** A limit and its counts, of which `version` changes with every write. */
  function kept(settings: Partial<LoginLimitSettings> = {}) {
    const clock = new TestClock();
    const generous = { loginAttemptsPerAccount: 1_000, loginAttemptsPerAddress: 1_000 };
    const newLimit = () => new LoginLimit(database, clock, { ...generous, ...settings });
    const stored = async () => {
      const { rows } = await sql<{ key: string; count: number; version: string }>`
        select key, count, xmin::text as version from login_attempts order by count desc, key
      `.execute(database.query());
      return rows;
    };
    const counts = async () => (await stored()).map(({ count }) => count);
    return { clock, newLimit, limit: newLimit(), stored, counts };
  }

  it('grows no more once an address is refused: refused attempts write nothing', async () => {
    const { clock, limit, stored, counts } = kept({ loginAttemptsPerAddress: 5 });
    const attempt = (email: string) =>
      limit.count(email, '10.0.0.1').catch(({ details }) => details.retryAfter);
    for (let each = 1; each <= 5; each += 1) expect(await attempt(`${each}@example.com`)).toBeUndefined();
    expect(await counts()).toEqual([5, 1, 1, 1, 1, 1]);
    const before = await stored();
    clock.advance({ seconds: 30 });
    for (let each = 1; each <= 50; each += 1) expect(await attempt(`${each}@example.com`)).toBe(870);
    expect(await Promise.all([attempt('a@x'), attempt('b@x')])).toEqual([870, 870]);
    expect(await stored()).toEqual(before);
    clock.advance({ seconds: 870 });
    expect(await attempt('1@example.com')).toBeUndefined();
  });

  it('is exact when many come at once to several processes, from one address to many accounts', async () => {
    const { limit, newLimit, counts } = kept({ loginAttemptsPerAddress: 7 });
    const processes = [limit, newLimit(), newLimit()];
    const attempts = Array.from({ length: 60 }, (_, each) =>
      processes[each % 3]?.count(`${each}@example.com`, '10.0.0.1').then(
        () => 'tried',
        ({ details }) => details.retryAfter,
      ),
    );
    const told = await Promise.all(attempts);
    expect(told.filter((each) => each === 'tried')).toHaveLength(7);
    expect(new Set(told)).toEqual(new Set(['tried', 900]));
    expect(await counts()).toEqual([7, 1, 1, 1, 1, 1, 1, 1]);
  });

  it('is swept out when its time is over, and not before', async () => {
    const { clock, limit, counts } = kept();
    for (const email of ['old@example.com', 'older@example.com']) await limit.count(email, newAddress());
    clock.advance({ seconds: 899 });
    await limit.count('who@example.com', '10.0.0.1');
    expect(await counts()).toEqual([1, 1, 1, 1, 1, 1]);
    clock.advance({ seconds: 59 });
    await limit.count('who@example.com', '10.0.0.1');
    expect(await counts()).toEqual([2, 2, 1, 1, 1, 1]);
    clock.advance({ seconds: 1 });
    await limit.count('who@example.com', '10.0.0.1');
    expect(await counts()).toEqual([3, 3]);
  });

  it('is bounded, however many addresses there are: the oldest goes first', async () => {
    const { clock, limit } = kept();
    await sql`
      insert into login_attempts (key, count, started_at)
      select each, 1, ${clock.now()}::timestamptz - each * interval '1 millisecond'
      from generate_series(1, ${MAX_COUNTS + 500}::int) each`.execute(database.query());
    await limit.count('who@example.com', '10.0.0.1');
    const left = await sql`
      select count(*)::int as kept, max(key::int) filter (where length(key) < 10) as oldest
      from login_attempts`.execute(database.query());
    expect(left.rows).toEqual([{ kept: MAX_COUNTS, oldest: MAX_COUNTS - 2 }]);
  });
});

describe('A false X-Forwarded-For gains nothing', () => {
  const statusOf = async (here: World, email: string, forwarded: string) =>
    (await logIn(here, email, 'wrong!', forwarded)).status;

  it.each<[setting: string, chain: (spoofed: string, real: string) => string]>([
    ['1', (spoofed, real) => `${spoofed}, ${real}`],
    ['2', (spoofed, real) => `${spoofed}, ${real}, 192.0.2.1`],
    ['loopback, 192.0.2.0/24', (spoofed, real) => `${spoofed}, ${real}, 192.0.2.1, 192.0.2.9`],
  ])('behind TRUST_PROXY=%s', async (TRUST_PROXY, chain) => {
    const { trustProxy } = readConfig({ TRUST_PROXY });
    const here = await limited({ trustProxy });
    const { email } = (await here.newUser()).account;
    const real = newAddress();
    const statuses: number[] = [];
    for (let count = 1; count <= 4; count += 1)
      statuses.push(await statusOf(here, email, chain(newAddress(), real)));
    expect(statuses).toEqual([401, 401, 401, 429]);
    // Nor can it be used to lock the owner out, whose address somebody else claimed to have.
    const owner = newAddress();
    for (let count = 1; count <= 4; count += 1) await statusOf(here, email, chain(owner, newAddress()));
    expect(await statusOf(here, email, chain(newAddress(), owner))).toBe(401);
  });

  it('where no proxy is trusted', async () => {
    const config = { ...configOf(), loginAttemptsPerAccount: 2, loginAttemptsPerAddress: 1_000_000 };
    const here = await world({ config });
    const { email } = (await here.newUser()).account;
    const statuses: number[] = [];
    for (let count = 1; count <= 3; count += 1) statuses.push(await statusOf(here, email, newAddress()));
    expect(statuses).toEqual([401, 401, 429]);
  });
});
