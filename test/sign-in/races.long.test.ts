import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { besieged } from '../support/besieged.js';
import { eventually } from '../support/eventually.js';
import { holding, untilSomeoneWaits } from '../support/locks.js';

describe('At the same moment', () => {
  it('an address is changed and a reset is mailed: the former mailbox gets no link that works', async () => {
    const here = await besieged();
    const { database, catcher } = here;
    const ana = await here.newPerson();
    await catcher.mailsTo(ana.account.email);
    const change = sql`update users set email = ${`${randomUUID()}@example.com`} where id = ${ana.id}`;
    const commit = await holding(database, change);
    await here.asStranger('requestPasswordReset', { email: ana.account.email });
    await untilSomeoneWaits(database); // the sender has found the account by its former address
    await commit();
    await eventually(async () => {
      const { rows } = await sql`select from jobs`.execute(database.query());
      return rows.length === 0;
    });
    expect(catcher.caught).toHaveLength(1); // the one that asks to confirm
  });

  it('somebody logs in at the provider and the owner resets the password: the session is over as it begins', async () => {
    const here = await besieged();
    const { database } = here;
    const ana = await here.newPerson();
    await here.confirms(ana);
    const sub = randomUUID();
    await here.throughProvider(sub, ana.token);
    const exchange = await here.comesBack(sub);
    const release = await holding(database, sql`select from identities for update`);
    const session = exchange();
    await untilSomeoneWaits(database); // the log-in has been taken
    await here.resets(ana.account.email, 2);
    await release();
    const { status } = await here.rest.as((await session).token).get('/api/user/profile');
    expect(status).toBe(401);
  });

  it('an address is changed and a stranger takes the former one: it stays free for its owner', async () => {
    const here = await besieged();
    const [ana, eve] = [await here.newPerson(), await here.newPerson()];
    await here.confirms(ana);
    const { email } = ana.account;
    const release = await holding(here.database, sql`lock table login_attempts in share mode`);
    const changed = ana.rest.put('/api/user/profile', { email: `${randomUUID()}@example.com` });
    await untilSomeoneWaits(here.database); // it is changed, and not yet for others
    const takes = async () => (await eve.rest.put('/api/user/profile', { email })).status;
    expect(await takes()).toBe(400); // it is still Ana's
    await release();
    expect([(await changed).status, await takes()]).toEqual([200, 400]);
    const token = await here.catcher.secretFor(email, 'undo-email', 2);
    expect((await here.asStranger('undoEmailChange', { token })).data.undoEmailChange).toEqual({ email });
  });
});
