import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Passwords } from '../../src/base/passwords/passwords.js';
import { AdministrationService } from '../../src/features/account/administration.service.js';
import { SignedLinks } from '../../src/features/check-in/signed-links.js';
import { printedResetLink } from '../../src/features/sign-in/reset-link.js';
import { reminded } from '../reminders/ringing.js';
import { configOf, ownDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { DOCUMENTS } from '../support/mail.js';
import { SECRET, type World, type WorldOptions, world } from '../support/world.js';

function officeOf({ database, clock }: Pick<World, 'database' | 'clock'>): AdministrationService {
  const passwords = new Passwords({ ...configOf(), hashCost: 4, hashThreads: 1 });
  onTestFinished(() => passwords.close());
  return new AdministrationService(database, clock, passwords);
}

/** An operator, and Ana, who has a session and an API token. */
async function town(options?: WorldOptions) {
  const here = await world(options);
  const ana = await here.newUser({ email: `Ana-${randomUUID()}@example.com` });
  const { email, password } = ana.account;
  const query = 'mutation { createApiToken(input: { name: "Watch", scopes: [READ, PROFILE] }) { token } }';
  const script = here.rest.as((await ana.query(query)).createApiToken.token);
  const statuses = async () => {
    const answers = [ana.rest, script].map((rest) => rest.get('/api/user/profile'));
    return (await Promise.all(answers)).map(({ status }) => status);
  };
  /** What the session and the API token are told, once the service has heard of it. */
  const become = (...expected: number[]) =>
    eventually(async () => String(await statuses()) === String(expected));
  const logsIn = async (given = password) => {
    const { status, headers } = await here.rest.post('/api/auth/login', { email, password: given });
    return [status, headers.get('error-reason')];
  };
  await become(200, 200);
  return { ...here, office: officeOf(here), ana, email, folded: email.toLowerCase(), become, logsIn };
}

describe('The operator', () => {
  it('makes an account, whose password opens it', async () => {
    const { office, rest, email: taken } = await town();
    const person = { name: 'Ben', email: `Ben-${randomUUID()}@example.com` };
    const password = await office.create(person);
    expect(password).toMatch(/^[\w-]{16}$/);
    const { status, body } = await rest.post('/api/auth/login', { email: person.email, password });
    expect([status, body.user]).toEqual([200, expect.objectContaining({ ...person, points: 0 })]);
    const again = office.create({ ...person, email: taken.toUpperCase() });
    await expect(again).rejects.toMatchObject({ message: 'Email already in use' });
  });

  it('gives a new password, which ends the old one, all sessions and all API tokens', async () => {
    const { office, folded, become, logsIn } = await town();
    const next = await office.resetPassword(folded);
    expect(await logsIn()).toEqual([401, 'INVALID_CREDENTIALS']);
    expect(await logsIn(next)).toEqual([200, null]);
    await become(401, 401);
  });

  it('deletes an account, with all sessions and API tokens', async () => {
    const { office, folded, become } = await town();
    await office.delete(folded);
    await become(401, 401);
  });

  it('signs everybody out of an account, and leaves its API tokens', async () => {
    const { office, folded, become } = await town();
    expect(await office.signOut(folded)).toBe(1);
    await become(401, 200);
  });
});

describe('An account that is suspended', () => {
  it('refuses its sessions and tokens until it is resumed, and nothing is lost', async () => {
    const { office, ana, folded, become } = await town();
    await ana.completes(await ana.hasTask());
    expect(await office.suspend(folded)).toBe(true);
    await become(401, 401);
    expect(await office.suspend(folded)).toBe(false);
    expect(await office.resume(folded)).toBe(true);
    await become(200, 200);
    expect(await office.resume(folded)).toBe(false);
    expect((await ana.query('{ completions { totalCount } }')).completions.totalCount).toBe(1);
  });

  it('says so to whoever knows the password, and to nobody else', async () => {
    const { office, folded, logsIn } = await town();
    await office.suspend(folded);
    expect(await logsIn()).toEqual([403, 'ACCOUNT_SUSPENDED']);
    expect(await logsIn('not the password')).toEqual([401, 'INVALID_CREDENTIALS']);
  });

  it('takes its links out of use: of check-ins, of messages, of calendars and for a new password', async () => {
    // Wrong links are counted by address.
    const { office, ana, email, folded, rest, base, database, clock } = await town({
      database: await ownDatabase(),
    });
    const { id } = await ana.hasTask();
    const made = await ana.query(`mutation {
      link: createCheckInLink(taskId: ${id}, name: "Fridge") { url }
      feed: createCalendarFeed(input: { name: "Desk" }) { url }
    }`);
    const signed = new SignedLinks(SECRET).make({ userId: ana.id, taskId: id, day: '2026-11-21' });
    const { link } = await printedResetLink(database, clock, { email: folded, publicUrl: base });
    const reset = () =>
      rest.ask(DOCUMENTS.resetPassword, { token: link.split('=')[1], newPassword: 'secret2' });
    const statuses = async () => {
      const press = (path: string) => rest.post(path, undefined, { accept: 'application/json' });
      const pressed = [new URL(made.link.url).pathname, `/check-in/${signed}`].map(press);
      const answers = await Promise.all([...pressed, rest.get(new URL(made.feed.url).pathname)]);
      return answers.map(({ status }) => status);
    };
    await office.suspend(folded);
    expect(await statuses()).toEqual([404, 404, 404]);
    expect((await reset()).errors[0].extensions.reason).toBe('LINK_INVALID');
    await office.resume(folded);
    expect(await statuses()).toEqual([200, 200, 200]);
    expect((await reset()).data.resetPassword.email).toBe(email);
  });

  it('rings nowhere, nor with what waited to be sent, and again from the next time on', async () => {
    const here = await reminded();
    const office = officeOf(here);
    const { email } = here.ana.account;
    expect(await here.at('2026-11-22T08:00:00Z')).toHaveLength(1);
    here.clock.set('2026-11-23T08:00:00Z');
    await here.reminders.job.run(); // a message waits
    await office.suspend(email);
    expect(await here.at('2026-11-23T08:00:01Z')).toEqual([]);
    expect(await here.at('2026-11-24T08:00:00Z')).toEqual([]);
    await office.resume(email);
    expect(await here.at('2026-11-24T08:01:00Z')).toEqual([]);
    expect(await here.at('2026-11-25T08:00:00Z')).toHaveLength(1);
  });

  it('is marked in the list of accounts, which can be filtered', async () => {
    const { office, folded, clock } = await town();
    await office.suspend(folded);
    const listed = async (filter: string) => {
      const found: unknown[] = [];
      for await (const chunk of office.list(filter))
        found.push(...chunk.map(({ suspendedAt }) => suspendedAt));
      return found;
    };
    expect(await listed(folded.toUpperCase())).toEqual([clock.now()]);
    expect(await listed('100%')).toEqual([]);
  });
});
