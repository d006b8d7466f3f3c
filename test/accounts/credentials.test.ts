import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { configOf } from '../support/database.js';
import type { Result } from '../support/live.js';
import { type TestUser, type World, world } from '../support/world.js';

const newEmail = ({ id }: TestUser) => `new-${id}@example.com`;

const PASSWORD =
  'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { user { id email } } }';
const EMAIL = 'mutation ($input: ChangeEmailInput!) { changeEmail(input: $input) { user { id email } } }';

const logsIn = async ({ rest }: World, email: string, password: string) =>
  (await rest.post('/api/auth/login', { email, password })).status;

const REASONS = { missing: 'INVALID_INPUT', wrong: 'INVALID_CREDENTIALS', late: 'TOO_MANY_ATTEMPTS' };

it.each<[string, (ana: TestUser, password?: string) => Promise<Result>]>([
  [
    'changePassword',
    (ana, currentPassword) => ana.rest.ask(PASSWORD, { input: { currentPassword, newPassword: 'another1' } }),
  ],
  [
    'changeEmail',
    (ana, currentPassword) => ana.rest.ask(EMAIL, { input: { currentPassword, newEmail: newEmail(ana) } }),
  ],
  [
    'deleteMyAccount',
    (ana, password) =>
      ana.rest.ask('mutation ($password: String) { deleteMyAccount(password: $password) { deletedId } }', {
        password,
      }),
  ],
])(
  '%s asks for the password, counts a wrong one as a failed log-in, and is refused when there were too many',
  async (name, ask) => {
    const here = await world({ config: { ...configOf(), loginAttemptsPerAccount: 3 } });
    const ana = await here.newUser();
    const { email, password } = ana.account;
    const reasonWith = async (given?: string) => (await ask(ana, given)).errors?.[0].extensions.reason;
    expect(await reasonWith()).toBe(REASONS.missing);
    for (let attempt = 1; attempt <= 3; attempt += 1) expect(await reasonWith('wrong1')).toBe(REASONS.wrong);
    expect(await reasonWith(password)).toBe(REASONS.late);
    expect(await logsIn(here, email, password)).toBe(429);
    here.clock.advance({ seconds: 900 });
    expect(await logsIn(here, email, password)).toBe(200);
    if (name === 'deleteMyAccount') return; // a session is asked for instead (test/sign-in/oidc.test.ts)
    const query = sql`update users set password_hash = null where id = ${ana.id}`;
    await query.execute(here.database.query()); // as if it had only ever logged in at a provider
    expect(await reasonWith()).toBeUndefined();
  },
);
