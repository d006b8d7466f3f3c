import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { configOf } from '../support/database.js';
import { type TestUser, type World, world, worldOf } from '../support/world.js';

const newEmail = ({ id }: TestUser) => `new-${id}@example.com`;

const PASSWORD =
  'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { user { id email } } }';
const EMAIL = 'mutation ($input: ChangeEmailInput!) { changeEmail(input: $input) { user { id email } } }';

/** What each asks for, but for the current password. */
const changes = [
  ['changePassword', PASSWORD, () => ({ newPassword: 'another1' })],
  ['changeEmail', EMAIL, (ana: TestUser) => ({ newEmail: newEmail(ana) })],
] as const;

const logsIn = async ({ rest }: World, email: string, password: string) =>
  (await rest.post('/api/auth/login', { email, password })).status;

/** As if it had only ever logged in at a provider. */
const takePassword = ({ database }: World, { id }: TestUser) =>
  sql`update users set password_hash = null where id = ${id}`.execute(database.query());

const reasonOf = async (who: TestUser, query: string, input: object) =>
  (await who.rest.ask(query, { input })).errors?.[0].extensions.reason;

describe('changeEmail', () => {
  it('replaces the address of whoever knows the password', async () => {
    const { ana, ...here } = await worldOf('ana');
    const { email, password } = ana.account;
    const body = await ana.rest.ask(EMAIL, { input: { currentPassword: password, newEmail: newEmail(ana) } });
    expect(body).toEqual({ data: { changeEmail: { user: { id: ana.id, email: newEmail(ana) } } } });
    expect(await logsIn(here, email, password)).toBe(401);
    expect(await logsIn(here, newEmail(ana), password)).toBe(200);
  });

  it('names its own field where the address is taken', async () => {
    const { ana, bea } = await worldOf('ana', 'bea');
    const input = { currentPassword: ana.account.password, newEmail: bea.account.email };
    const { errors } = await ana.rest.ask(EMAIL, { input });
    expect(errors).toMatchObject([{ extensions: { reason: 'EMAIL_TAKEN', fields: [{ name: 'newEmail' }] } }]);
  });
});

describe.each(changes)('%s', (_name, query, given) => {
  it('is refused without the current password, which it names', async () => {
    const { ana, ...here } = await worldOf('ana');
    for (const currentPassword of [undefined, null]) {
      const { errors } = await ana.rest.ask(query, { input: { currentPassword, ...given(ana) } });
      expect(errors).toMatchObject([
        {
          message: 'Current password must be given',
          extensions: {
            code: 'BAD_USER_INPUT',
            reason: 'INVALID_INPUT',
            fields: [{ name: 'currentPassword' }],
          },
        },
      ]);
    }
    expect(await logsIn(here, ana.account.email, ana.account.password)).toBe(200);
  });

  it('counts a wrong one as a failed log-in, and is refused when there were too many', async () => {
    const here = await world({ config: { ...configOf(), loginAttemptsPerAccount: 3 } });
    const ana = await here.newUser();
    const { email, password } = ana.account;
    const wrong = { currentPassword: 'wrong1', ...given(ana) };
    for (let attempt = 1; attempt <= 3; attempt += 1)
      expect(await reasonOf(ana, query, wrong)).toBe('INVALID_CREDENTIALS');
    expect(await reasonOf(ana, query, { ...wrong, currentPassword: password })).toBe('TOO_MANY_ATTEMPTS');
    expect(await logsIn(here, email, password)).toBe(429);
  });

  it('needs none where the account has none', async () => {
    const { ana, ...here } = await worldOf('ana');
    await takePassword(here, ana);
    expect(await reasonOf(ana, query, given(ana))).toBeUndefined();
  });

  it('is not for an API token, whatever it knows', async () => {
    const { ana } = await worldOf('ana');
    const { createApiToken } = await ana.query(
      'mutation { createApiToken(input: { name: "a", scopes: [READ, PROFILE, TASKS, COMPLETIONS, CHALLENGES] }) { token } }',
    );
    const script = ana.rest.as(createApiToken.token);
    const input = { currentPassword: ana.account.password, ...given(ana) };
    expect((await script.ask(query, { input })).errors).toMatchObject([
      { extensions: { code: 'FORBIDDEN', reason: 'SCOPE_MISSING' } },
    ]);
  });
});

it('updateProfile takes neither a password nor an address', async () => {
  const { ana } = await worldOf('ana');
  const query = 'mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { user { id } } }';
  for (const input of [{ newPassword: 'another1' }, { email: newEmail(ana) }])
    expect(await reasonOf(ana, query, input)).toBe('INVALID_INPUT');
});
