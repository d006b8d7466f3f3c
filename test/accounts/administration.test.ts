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
import { SECRET, type World, world } from '../support/world.js';

function officeOf({ database, clock }: Pick<World, 'database' | 'clock'>): AdministrationService {
  const passwords = new Passwords({ ...configOf(), hashCost: 4, hashThreads: 1 });
  onTestFinished(() => passwords.close());
  return new AdministrationService(database, clock, passwords);
}

/** An operator, and Ana, who has a session and an API token. */
async function town(here: World) {
  const ana = await here.newUser({ email: `Ana-${randomUUID()}@example.com` });
  const { email, password } = ana.account;
  const query = 'mutation { createApiToken(input: { name: "Watch", scopes: [READ, PROFILE] }) { token } }';
  const script = here.rest.as((await ana.query(query)).createApiToken.token);
  /** What the session and the API token are told, once the service has heard of it. */
  const become = (...expected: number[]) =>
    eventually(async () => {
      const answers = await Promise.all([ana.rest, script].map((rest) => rest.get('/api/user/profile')));
      return String(answers.map(({ status }) => status)) === String(expected);
    });
  const logsIn = async (given = password) => {
    const { status, headers } = await here.rest.post('/api/auth/login', { email, password: given });
    return [status, headers.get('error-reason')];
  };
  await become(200, 200);
  return { ...here, office: officeOf(here), ana, email, folded: email.toLowerCase(), become, logsIn };
}

describe('The operator', () => {
  it('makes an account, and gives it another password, which ends the old one, its sessions and API tokens', async () => {
    const { office, rest, folded, email, become, logsIn } = await town(await world());
    const person = { name: 'Ben', email: `Ben-${randomUUID()}@example.com` };
    const password = await office.create(person);
    expect(password).toMatch(/^[\w-]{16}$/);
    const { body } = await rest.post('/api/auth/login', { email: person.email, password });
    expect(body.user).toMatchObject({ ...person, points: 0 });
    const again = office.create({ ...person, email: email.toUpperCase() });
    await expect(again).rejects.toMatchObject({ message: 'Email already in use' });

    const next = await office.resetPassword(folded);
    expect(await logsIn()).toEqual([401, 'INVALID_CREDENTIALS']);
    expect(await logsIn(next)).toEqual([200, null]);
    await become(401, 401);
  });

  it('signs everybody out of an account, which leaves its API tokens, and deletes it, which does not', async () => {
    const { office, folded, become } = await town(await world());
    expect(await office.signOut(folded)).toBe(1);
    await become(401, 200);
    await office.delete(folded);
    await become(401, 401);
  });
});

describe('An account that is suspended', () => {
  it('refuses its sessions and tokens until it is resumed, and says so to whoever knows the password', async () => {
    const { office, ana, folded, become, logsIn, clock } = await town(await world());
    await ana.completes(await ana.hasTask());
    expect(await office.suspend(folded)).toBe(true);
    await become(401, 401);
    expect(await logsIn()).toEqual([403, 'ACCOUNT_SUSPENDED']);
    expect(await logsIn('not the password')).toEqual([401, 'INVALID_CREDENTIALS']);
    const listed = async (filter: string) => (await office.list(filter).next()).value ?? [];
    expect(await listed(folded.toUpperCase())).toMatchObject([{ suspendedAt: clock.now() }]);
    expect(await listed('100%')).toEqual([]);
    expect(await office.suspend(folded)).toBe(false);
    expect(await office.resume(folded)).toBe(true);
    await become(200, 200);
    expect(await office.resume(folded)).toBe(false);
    expect((await ana.query('{ completions { totalCount } }')).completions.totalCount).toBe(1);
  });

  it('takes its links out of use: of check-ins, of messages, of calendars and for a new password', async () => {
    const here = await world({ database: await ownDatabase() }); // wrong links are counted by address
    const { office, ana, email, folded, rest, base, database, clock } = await town(here);
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
});
