import { describe, expect, it } from 'vitest';
import { apis, world } from '../support/apis.js';
import { configOf } from '../support/database.js';

const closed = { ...configOf(), signUp: 'closed' as const };

describe('Closed sign-up', () => {
  it.each(apis)('lets those log in who have an account, over %s', async (api) => {
    const open = await world(api);
    const { account: theirs } = await open.newUser();
    const { stranger } = await world(api, { database: open.database, config: closed });
    const { token } = await stranger().logsIn({ email: theirs.email, password: theirs.password });
    expect(await stranger(token).profile()).toMatchObject({ email: theirs.email });
  });
});
