import { describe, expect, it, onTestFinished } from 'vitest';
import { Passwords } from '../../src/base/passwords/passwords.js';
import { AdministrationService } from '../../src/features/account/administration.service.js';
import { SignedLinks } from '../../src/features/check-in/signed-links.js';
import { printedResetLink } from '../../src/features/sign-in/reset-link.js';
import { addsNtfy, ringing } from '../reminders/ringing.js';
import { configOf, ownDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { SECRET, type TestUser, type World, world } from '../support/world.js';

function officeOf({ database, clock }: Pick<World, 'database' | 'clock'>): AdministrationService {
  const passwords = new Passwords({ ...configOf(), hashCost: 4, hashThreads: 1 });
  onTestFinished(() => passwords.close());
  return new AdministrationService(database, clock, passwords);
}

const statusOf = async (ana: Pick<TestUser, 'rest'>) => (await ana.rest.get('/api/user/profile')).status;

/** Once the service has heard of it. */
const becomes = (ana: Pick<TestUser, 'rest'>, status: number) =>
  eventually(async () => (await statusOf(ana)) === status);

const TOKEN = 'mutation { createApiToken(input: { name: "Watch", scopes: [READ, PROFILE] }) { token } }';

describe('An account that is suspended', () => {
  it('refuses its sessions and tokens until it is resumed, and nothing is lost', async () => {
    const here = await world();
    const office = officeOf(here);
    const ana = await here.newUser();
    const { id } = await ana.hasTask();
    await ana.completes({ id });
    const { createApiToken } = await ana.query(TOKEN);
    const watch = { rest: here.rest.as(createApiToken.token) };
    expect([await statusOf(ana), await statusOf(watch)]).toEqual([200, 200]);

    expect(await office.suspend(ana.account.email)).toBe(true);
    for (const each of [ana, watch]) await becomes(each, 401);
    expect(await office.suspend(ana.account.email)).toBe(false);

    expect(await office.resume(ana.account.email)).toBe(true);
    for (const each of [ana, watch]) await becomes(each, 200);
    expect(await office.resume(ana.account.email)).toBe(false);
    expect((await ana.query('{ me { points } completions { totalCount } }')).completions.totalCount).toBe(1);
  });

  it('says so to whoever knows the password, and to nobody else', async () => {
    const here = await world();
    const office = officeOf(here);
    const { account } = await here.newUser();
    await office.suspend(account.email);
    const logIn = (password: string) => here.rest.post('/api/auth/login', { email: account.email, password });
    const right = await logIn(account.password);
    expect([right.status, right.headers.get('error-reason')]).toEqual([403, 'ACCOUNT_SUSPENDED']);
    const wrong = await logIn('not the password');
    expect([wrong.status, wrong.headers.get('error-reason')]).toEqual([401, 'INVALID_CREDENTIALS']);
    await office.resume(account.email);
    expect((await logIn(account.password)).status).toBe(200);
  });

  it('takes its links out of use: of check-ins, of messages and for a new password', async () => {
    const here = await world({ database: await ownDatabase() }); // wrong links are counted by address
    const office = officeOf(here);
    const ana = await here.newUser();
    const { id } = await ana.hasTask();
    const made = await ana.query(
      'mutation ($id: ID!) { createCheckInLink(taskId: $id, name: "Fridge") { url } }',
      { id },
    );
    const day = here.clock.now().toISOString().slice(0, 10);
    const links = [
      new URL(made.createCheckInLink.url).pathname,
      `/check-in/${new SignedLinks(SECRET).make({ userId: ana.id, taskId: id, day })}`,
    ];
    const { email } = ana.account;
    const printed = await printedResetLink(here.database, here.clock, { email, publicUrl: here.base });
    const token = /[\w-]{20,}$/.exec(printed.link)?.[0];
    const reset = () =>
      here.rest.post('/graphql', {
        query:
          'mutation ($token: String!) { resetPassword(token: $token, newPassword: "secret2") { email } }',
        variables: { token },
      });
    const calendar = await ana.query('mutation { createCalendarFeed(input: { name: "Desk" }) { url } }');
    const readCalendar = async () =>
      (await here.rest.get(new URL(calendar.createCalendarFeed.url).pathname)).status;
    await office.suspend(email);
    expect(await readCalendar()).toBe(404);
    for (const link of links)
      expect((await here.rest.post(link, undefined, { accept: 'application/json' })).status).toBe(404);
    expect((await reset()).body.errors[0].extensions.reason).toBe('LINK_INVALID');
    await office.resume(email);
    expect(await readCalendar()).toBe(200);
    for (const link of links)
      expect((await here.rest.post(link, undefined, { accept: 'application/json' })).status).toBe(200);
    expect((await reset()).body.data.resetPassword.email).toBe(email);
  });

  it('rings nowhere, nor with what waited to be sent, and again from the next time on', async () => {
    const here = await ringing();
    const office = officeOf(here);
    const ana = await here.newUser();
    await ana.query(
      'mutation { createTask(input: { title: "Swim", reminders: [{ at: "08:00" }] }) { task { id } } }',
    );
    await addsNtfy(ana);
    expect(await here.at('2026-11-22T08:00:00Z')).toHaveLength(1);
    here.clock.set('2026-11-23T08:00:00Z');
    await here.reminders.job.run(); // a message waits
    await office.suspend(ana.account.email);
    expect(await here.at('2026-11-23T08:00:01Z')).toEqual([]);
    expect(await here.at('2026-11-24T08:00:00Z')).toEqual([]);
    await office.resume(ana.account.email);
    expect(await here.at('2026-11-24T08:01:00Z')).toEqual([]);
    expect(await here.at('2026-11-25T08:00:00Z')).toHaveLength(1);
  });

  it('is marked in the list of accounts, which can be filtered', async () => {
    const here = await world();
    const office = officeOf(here);
    const [ana, bea] = [await here.newUser(), await here.newUser()];
    await office.suspend(ana.account.email);
    const listed = async (filter: string) => {
      const found = [];
      for await (const chunk of office.list(filter)) found.push(...chunk);
      return found.map(({ email, suspendedAt }) => [email, suspendedAt]);
    };
    expect(await listed(ana.account.email.toUpperCase())).toEqual([[ana.account.email, here.clock.now()]]);
    expect(await listed(bea.account.email)).toEqual([[bea.account.email, null]]);
    expect(await listed('100%')).toEqual([]);
  });
});
