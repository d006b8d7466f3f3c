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
    const { account } = await here.newUser();
    await officeOf(here).suspend(account.email);
    const told = async (password: string) => {
      const asked = { email: account.email, password };
      const { status, headers } = await here.rest.post('/api/auth/login', asked);
      return [status, headers.get('error-reason')];
    };
    expect(await told(account.password)).toEqual([403, 'ACCOUNT_SUSPENDED']);
    expect(await told('not the password')).toEqual([401, 'INVALID_CREDENTIALS']);
  });

  it('takes its links out of use: of check-ins, of messages and for a new password', async () => {
    const here = await world({ database: await ownDatabase() }); // wrong links are counted by address
    const office = officeOf(here);
    const ana = await here.newUser();
    const { id } = await ana.hasTask();
    const made = await ana.query(
      `mutation ($id: ID!) {
        link: createCheckInLink(taskId: $id, name: "Fridge") { url }
        feed: createCalendarFeed(input: { name: "Desk" }) { url }
      }`,
      { id },
    );
    const day = here.clock.now().toISOString().slice(0, 10);
    const links = [
      new URL(made.link.url).pathname,
      `/check-in/${new SignedLinks(SECRET).make({ userId: ana.id, taskId: id, day })}`,
    ];
    const { email } = ana.account;
    const printed = await printedResetLink(here.database, here.clock, { email, publicUrl: here.base });
    const reset = () =>
      here.rest.ask(
        'mutation ($token: String!) { resetPassword(token: $token, newPassword: "secret2") { email } }',
        { token: /[\w-]{20,}$/.exec(printed.link)?.[0] },
      );
    const statuses = async () => {
      const accept = { accept: 'application/json' };
      const pressed = links.map((link) => here.rest.post(link, undefined, accept));
      const read = here.rest.get(new URL(made.feed.url).pathname);
      return (await Promise.all([...pressed, read])).map(({ status }) => status);
    };
    await office.suspend(email);
    expect(await statuses()).toEqual([404, 404, 404]);
    expect((await reset()).errors[0].extensions.reason).toBe('LINK_INVALID');
    await office.resume(email);
    expect(await statuses()).toEqual([200, 200, 200]);
    expect((await reset()).data.resetPassword.email).toBe(email);
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
    const { email } = (await here.newUser()).account;
    await office.suspend(email);
    const listed = async (filter: string) =>
      (await Array.fromAsync(office.list(filter))).flat().map(({ suspendedAt }) => suspendedAt);
    expect(await listed(email.toUpperCase())).toEqual([here.clock.now()]);
    expect(await listed('100%')).toEqual([]);
  });
});
