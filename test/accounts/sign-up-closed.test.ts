import { describe, expect, it } from 'vitest';
import { apis, world } from '../support/apis.js';
import { configOf } from '../support/database.js';
import { world as oneWorld, refusal } from '../support/world.js';

const closed = { ...configOf(), signUp: 'closed' as const };
const account = { name: 'Ana', email: 'ana-closed@example.com', password: 'secret1' };
const SENTENCE = 'Sign-up is closed here: ask the operator for an account';

describe('Closed sign-up', () => {
  it('is 403 and FORBIDDEN, with a sentence and a reason, and makes no account', async () => {
    const { rest } = await oneWorld({ config: closed });
    expect(await rest.post('/api/auth/signup', account)).toEqual(refusal(403, SENTENCE));
    const query = 'mutation ($input: SignUpInput!) { signUp(input: $input) { token } }';
    const { body } = await rest.post('/graphql', { query, variables: { input: account } });
    expect(body.errors).toEqual([
      expect.objectContaining({
        message: SENTENCE,
        extensions: { code: 'FORBIDDEN', reason: 'SIGN_UP_CLOSED' },
      }),
    ]);
    const { email, password } = account;
    expect(await rest.post('/api/auth/login', { email, password })).toEqual(
      refusal(401, 'Invalid email or password'),
    );
  });

  it.each(apis)('lets those log in who have an account, over %s', async (api) => {
    const open = await world(api);
    const { account: theirs } = await open.newUser();
    const { stranger } = await world(api, { database: open.database, config: closed });
    const { token } = await stranger().logsIn({ email: theirs.email, password: theirs.password });
    expect(await stranger(token).profile()).toMatchObject({ email: theirs.email });
  });
});
