import { describe, expect, it } from 'vitest';
import { readConfig } from '../src/config.js';
import { freshDatabase } from './support/database.js';
import { type World, world } from './support/world.js';

const limited = (settings = {}) =>
  world({
    config: {
      ...readConfig({}),
      trustProxy: 1,
      loginAttemptsPerAccount: 3,
      loginAttemptsPerAddress: 5,
      ...settings,
    },
  });

const from = (address: string) => ({ 'X-Forwarded-For': address });

/** Every world an address of its own: the counts are shared by all. */
const newAddress = () =>
  `2001:db8::${Math.floor(Math.random() * 65_536).toString(16)}:${Math.floor(Math.random() * 65_536).toString(16)}`;

const logIn = ({ rest }: World, email: string, password: string, address: string) =>
  rest.post('/api/auth/login', { email, password }, from(address));

describe('Failed log-ins', () => {
  it('are answered 429 with Retry-After once an account had too many of them from one address', async () => {
    const here = await limited();
    const { account } = await here.newUser();
    const address = newAddress();
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      expect((await logIn(here, account.email, 'wrong!', address)).status).toBe(401);
    }
    here.clock.advance({ seconds: 100 });
    const refused = await logIn(here, account.email, account.password, address);
    expect(refused).toMatchObject({
      status: 429,
      body: { error: 'Too many failed log-ins, try again later' },
    });
    expect(refused.headers.get('retry-after')).toBe('800');
  });

  it('are forgotten when their time is over', async () => {
    const here = await limited();
    const { account } = await here.newUser();
    const address = newAddress();
    for (let attempt = 1; attempt <= 4; attempt += 1) await logIn(here, account.email, 'wrong!', address);
    here.clock.advance({ seconds: 900 });
    expect((await logIn(here, account.email, account.password, address)).status).toBe(200);
  });

  it("do not lock the account's owner out elsewhere", async () => {
    const here = await limited();
    const { account } = await here.newUser();
    const attacker = newAddress();
    for (let attempt = 1; attempt <= 5; attempt += 1) await logIn(here, account.email, 'wrong!', attacker);
    expect((await logIn(here, account.email, account.password, newAddress())).status).toBe(200);
  });

  it('count over all accounts for an address, known or not', async () => {
    const here = await limited();
    const address = newAddress();
    const statuses: number[] = [];
    for (let attempt = 1; attempt <= 7; attempt += 1) {
      statuses.push((await logIn(here, `nobody-${attempt}@example.com`, 'wrong!', address)).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
  });

  it('count whatever the case of the e-mail', async () => {
    const here = await limited();
    const address = newAddress();
    const statuses: number[] = [];
    for (const email of ['Who@example.com', 'who@EXAMPLE.com', ' who@example.com', 'WHO@EXAMPLE.COM']) {
      statuses.push((await logIn(here, email, 'wrong!', address)).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429]);
  });

  it('are no failures when they succeed', async () => {
    const here = await limited();
    const { account } = await here.newUser();
    const address = newAddress();
    for (let round = 1; round <= 4; round += 1) {
      expect((await logIn(here, account.email, 'wrong!', address)).status).toBe(401);
      expect((await logIn(here, account.email, account.password, address)).status).toBe(200);
    }
  });

  it('are counted before the hashing: of many at once no more than allowed are tried', async () => {
    const here = await limited({ loginAttemptsPerAddress: 100 });
    const { account } = await here.newUser();
    const address = newAddress();
    const attempts = Array.from({ length: 20 }, () => logIn(here, account.email, 'wrong!', address));
    const statuses = (await Promise.all(attempts)).map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(3).fill(401), ...Array(17).fill(429)]);
  });

  it('count on both faces together, and on all processes', async () => {
    const database = await freshDatabase();
    const config = { ...readConfig({}), loginAttemptsPerAccount: 3 };
    const [one, other] = [await world({ database, config }), await world({ database, config })];
    const { account } = await one.newUser();
    const logInTo = `mutation { logIn(input: { email: "${account.email}", password: "wrong!" }) { token } }`;
    const attempt = async () =>
      (await other.rest.post('/graphql', { query: logInTo })).body.errors[0].extensions;

    await one.rest.post('/api/auth/login', { email: account.email, password: 'wrong!' });
    expect(await attempt()).toEqual({ code: 'UNAUTHENTICATED' });
    expect(await attempt()).toEqual({ code: 'UNAUTHENTICATED' });
    expect(await attempt()).toEqual({ code: 'TOO_MANY_REQUESTS', retryAfter: 900 });
    await database.close();
  });

  it('are not excused by a made-up X-Forwarded-For where no proxy is trusted', async () => {
    const database = await freshDatabase();
    const here = await world({ database, config: { ...readConfig({}), loginAttemptsPerAddress: 2 } });
    const statuses: number[] = [];
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      statuses.push((await logIn(here, `nobody-${attempt}@example.com`, 'wrong!', newAddress())).status);
    }
    expect(statuses).toEqual([401, 401, 429]);
    await database.close();
  });
});
