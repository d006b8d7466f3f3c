import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/base/config.js';
import { Passwords } from '../../src/base/passwords/passwords.js';
import { MAX_COUNTS } from '../../src/features/account/attempt-counts.js';
import { LoginLimit, type LoginLimitSettings } from '../../src/features/account/login-limit.js';
import { readConfig } from '../../src/features/settings.js';
import { configOf, ownDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import type { Result } from '../support/live.js';
import { TestClock, world } from '../support/world.js';

const newByte = () => 1 + Math.floor(Math.random() * 250);
/** Every attempt from elsewhere has an address of its own: the counts are shared by all. */
const newAddress = () => [10, newByte(), newByte(), newByte()].join('.');
/** An IPv6 network such as a provider gives to one customer. */
const newNetwork = () => `2001:db8:${randomUUID().slice(0, 4)}:${randomUUID().slice(0, 4)}`;

const LIMITS = { trustProxy: 1, loginAttemptsPerAccount: 3, loginAttemptsPerAddress: 5 };

/** A service behind a proxy that allows little, and somebody who has an account there. */
async function limited(settings: Partial<Config> = {}) {
  const database = await ownDatabase();
  const here = await world({ config: { ...configOf(), ...LIMITS, ...settings }, database });
  const { email, password } = (await here.newUser()).account;
  const tries = (from: string, given: string, of = email) =>
    here.rest.post('/api/auth/login', { email: of, password: given }, { 'X-Forwarded-For': from });
  /** The statuses of wrong log-ins, one after the other. */
  const fails = async (addresses: string[], emails = addresses.map(() => email)) => {
    const statuses: number[] = [];
    for (const [index, from] of addresses.entries())
      statuses.push((await tries(from, 'wrong!', emails[index])).status);
    return statuses;
  };
  const succeeds = async (from: string) => (await tries(from, password)).status;
  return { ...here, email, password, tries, fails, succeeds, address: newAddress() };
}

describe('Failed log-ins', () => {
  it('are answered 429 with Retry-After once an account had too many from one address, until their time is over', async () => {
    const { clock, address, fails, tries, succeeds, password } = await limited();
    expect(await fails(Array(3).fill(address))).toEqual([401, 401, 401]);
    clock.advance({ seconds: 100 });
    const refused = await tries(address, password);
    const body = { error: 'Too many failed log-ins, try again later' };
    expect(refused).toMatchObject({ status: 429, body });
    expect(refused.headers.get('retry-after')).toBe('800');
    expect(await succeeds(newAddress())).toBe(200); // the owner, elsewhere
    clock.advance({ seconds: 799 });
    expect(await succeeds(address)).toBe(429);
    clock.advance({ seconds: 1 });
    expect(await succeeds(address)).toBe(200);
  });

  const network = newNetwork();
  it.each<[how: string, addresses: string[]]>([
    [
      'by their network where addresses are IPv6: a customer has a whole /64 to choose from',
      ['::1', ':1:2:3:4', ':ffff:ffff:ffff:ffff', '::%eth0'].map((end) => network + end),
    ],
    [
      'one IPv4 address once, whichever way a socket shows it',
      ['10.0.0.9', '::ffff:10.0.0.9', '::FFFF:10.0.0.9', '10.0.0.9'],
    ],
    ['even where the address cannot be read as one', Array(4).fill('_hidden')],
  ])('count %s', async (_how, addresses) => {
    const { fails } = await limited();
    const others = [`${newNetwork()}::1`, `::ffff:${newAddress()}`];
    expect(await fails([...addresses, ...others])).toEqual([401, 401, 401, 429, 401, 401]);
  });

  it('count whatever the case of the e-mail, and over all accounts for an address, known or not, and tell nobody which', async () => {
    const { fails, tries, email } = await limited();
    const one = ['Who@example.com', 'who@EXAMPLE.com', ' who@example.com', 'WHO@EXAMPLE.COM'];
    expect(await fails(Array(4).fill(newAddress()), one)).toEqual([401, 401, 401, 429]);
    const many = [1, 2, 3, 4, 5, 6].map((each) => `nobody-${each}@example.com`);
    expect(await fails(Array(6).fill('10.0.0.1'), many)).toEqual([401, 401, 401, 401, 401, 429]);
    const answersOf = async (of: string, from = newAddress()) => {
      const told: unknown[] = [];
      for (const _ of [1, 2, 3, 4]) {
        const { status, body, headers } = await tries(from, 'wrong!', of);
        told.push([status, body, headers.get('retry-after')]);
      }
      return told;
    };
    expect(await answersOf(email)).toEqual(await answersOf('nobody@example.com'));
  });

  it('are forgiven by a success with the same account, which itself does not count', async () => {
    const { fails, succeeds, address } = await limited();
    for (const _round of [1, 2, 3, 4])
      expect([...(await fails([address])), await succeeds(address)]).toEqual([401, 200]);
  });

  it('cost no hash beyond what is allowed', async () => {
    const { email, database } = await limited();
    const passwords = new Passwords({ hashThreads: 0, hashCost: 4 }); // hashes nothing
    const { rest } = await world({ passwords, database, config: { ...configOf(), ...LIMITS } });
    const [asked, statuses]: [number, number[]] = [passwords.waiting, []];
    const headers = { 'X-Forwarded-For': newAddress() };
    const attempt = async () => {
      statuses.push((await rest.post('/api/auth/login', { email, password: 'wrong!' }, headers)).status);
    };
    // Those that wait for a hash are cut off with the service.
    for (let each = 1; each <= 20; each += 1) attempt().catch(() => {});
    await eventually(() => statuses.length === 17);
    expect(statuses).toEqual(Array(17).fill(429));
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
    const late = { code: 'TOO_MANY_REQUESTS', reason: 'TOO_MANY_ATTEMPTS', retryAfter: 900 };
    const told = errors.map(({ path, extensions }: Result) => [...path, extensions]);
    expect(told).toEqual([
      ['a', wrong],
      ['b', wrong],
      ['right', late],
    ]);
  });

  it('leave neither e-mail nor address behind, and do not count where a fault of ours stopped them', async () => {
    const { fails, succeeds, address, email, database } = await limited();
    await fails([address]);
    const { rows } = await sql`select * from login_attempts`.execute(database.query());
    expect(rows).toHaveLength(2);
    for (const each of [email, address]) expect(JSON.stringify(rows)).not.toContain(each);
    await sql`alter table users rename to elsewhere`.execute(database.query());
    for (let each = 1; each <= 6; each += 1) expect(await succeeds(address)).toBe(500);
    await sql`alter table elsewhere rename to users`.execute(database.query());
    expect(await fails(Array(3).fill(address))).toEqual([401, 401, 429]); // the first one still counts
  });
});

describe('What failed log-ins leave behind', () => {
  /** A limit and its counts, of which `version` changes with every write. */
  async function kept(settings: Partial<LoginLimitSettings> = {}) {
    const [clock, database] = [new TestClock(), await ownDatabase()];
    const generous = { loginAttemptsPerAccount: 1_000, loginAttemptsPerAddress: 1_000 };
    const newLimit = () => new LoginLimit(database, clock, { ...generous, ...settings });
    const stored = async () => {
      const query = sql<{ count: number }>`
        select key, count, xmin::text as version from login_attempts order by count desc, key`;
      return (await query.execute(database.query())).rows;
    };
    const counts = async () => (await stored()).map(({ count }) => count);
    return { clock, database, newLimit, limit: newLimit(), stored, counts };
  }

  it('is exact when many come at once to several processes, and grows no more: refused attempts write nothing', async () => {
    const { clock, limit, newLimit, stored, counts } = await kept({ loginAttemptsPerAddress: 5 });
    const processes = [limit, newLimit(), newLimit()];
    const attempts = () =>
      Array.from({ length: 60 }, (_, each) =>
        processes[each % 3]?.count(`${each}@example.com`, '10.0.0.1').then(
          () => 'tried',
          ({ details }) => details.retryAfter,
        ),
      );
    const told = await Promise.all(attempts());
    expect(told.filter((each) => each === 'tried')).toHaveLength(5);
    expect(new Set(told)).toEqual(new Set(['tried', 900]));
    expect(await counts()).toEqual([5, 1, 1, 1, 1, 1]);
    const before = await stored();
    clock.advance({ seconds: 30 });
    expect(new Set(await Promise.all(attempts()))).toEqual(new Set([870]));
    expect(await stored()).toEqual(before);
    clock.advance({ seconds: 870 });
    await limit.count('1@example.com', '10.0.0.1');
  });

  it('is swept out when its time is over, and not before', async () => {
    const { clock, limit, counts } = await kept();
    for (const email of ['old@example.com', 'older@example.com']) await limit.count(email, newAddress());
    for (const [seconds, left] of [
      [899, [1, 1, 1, 1, 1, 1]],
      [59, [2, 2, 1, 1, 1, 1]],
      [1, [3, 3]],
    ] as const) {
      clock.advance({ seconds });
      await limit.count('who@example.com', '10.0.0.1');
      expect(await counts()).toEqual(left);
    }
  });

  it('is bounded, however many addresses there are: the oldest goes first', async () => {
    const { clock, limit, database } = await kept();
    await sql`
      insert into login_attempts (key, count, started_at)
      select each, 1, ${clock.now()}::timestamptz - each * interval '1 millisecond'
      from generate_series(1, ${MAX_COUNTS + 500}::int) each`.execute(database.query());
    await limit.count('who@example.com', '10.0.0.1');
    const left = await sql`
      select count(*)::int as kept, max(key::int) filter (where length(key) < 10) as oldest
      from login_attempts`.execute(database.query());
    expect(left.rows).toEqual([{ kept: MAX_COUNTS, oldest: MAX_COUNTS - 2 }]);
    await sql`truncate login_attempts`.execute(database.query()); // and not row by row, as the database is emptied
  });
});

describe('A false X-Forwarded-For gains nothing', () => {
  it.each<[setting: string, chain: (spoofed: string, real: string) => string]>([
    ['1', (spoofed, real) => `${spoofed}, ${real}`],
    ['2', (spoofed, real) => `${spoofed}, ${real}, 192.0.2.1`],
    ['loopback, 192.0.2.0/24', (spoofed, real) => `${spoofed}, ${real}, 192.0.2.1, 192.0.2.9`],
  ])('behind TRUST_PROXY=%s', async (TRUST_PROXY, chain) => {
    const { fails, address } = await limited({ trustProxy: readConfig({ TRUST_PROXY }).trustProxy });
    const four = (from: () => string) => fails([from(), from(), from(), from()]);
    expect(await four(() => chain(newAddress(), address))).toEqual([401, 401, 401, 429]);
    // Nor can it be used to lock the owner out, whose address somebody else claimed to have.
    const owner = newAddress();
    await four(() => chain(owner, newAddress()));
    expect(await fails([chain(newAddress(), owner)])).toEqual([401]);
  });

  it('where no proxy is trusted', async () => {
    const { fails } = await limited({ trustProxy: configOf().trustProxy });
    expect(await fails([1, 2, 3, 4].map(newAddress))).toEqual([401, 401, 401, 429]);
  });
});
