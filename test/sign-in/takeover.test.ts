import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { besieged } from '../support/besieged.js';
import { eventually } from '../support/eventually.js';
import { mailsWaiting } from '../support/mail.js';

describe('Somebody who wants into the account of another', () => {
  it.each([
    ['proves it', false],
    ['resets the password, though pressing the button of a mail that came unasked', true],
  ])(
    'makes one with their address and a log-in of their own before them, and is out once the owner %s',
    async (_how, isConfirmed) => {
      const here = await besieged();
      const made = await here.newPerson(); // by the attacker, with the address of the victim
      const { email } = made.account;
      const sub = randomUUID();
      expect((await here.throughProvider(sub, made.token)).user.id).toBe(made.id);
      await here.catcher.mailsTo(email); // an hour later nobody would send it
      here.clock.advance({ hours: 1 });
      if (isConfirmed) await here.confirms(made);
      await here.resets(email, 2); // by the victim, who alone reads mails to it
      const { body } = await here.rest.post('/api/auth/login', { email, password: 'secret9' });
      expect(body.user.id).toBe(made.id);
      expect((await made.rest.get('/api/user/profile')).status).toBe(401);
      expect((await here.throughProvider(sub)).user.id).not.toBe(made.id);
      const { data } = await here.rest.as(body.token).ask('{ me { identities { id } } }');
      expect(data.me.identities).toEqual([]);
    },
  );

  it('reads nothing of an account whose mail has come to them by mistake, but what proves the address', async () => {
    const here = await besieged();
    const ana = await here.newPerson();
    const token = await here.catcher.secretFor(ana.account.email, 'confirm');
    const query = `mutation ($token: String!) {
      confirmEmail(token: $token) { user { email emailConfirmedAt pauses { id } calendar(last: 7) { date } } }
    }`;
    const { data, errors } = await here.ask(query, { token });
    expect(data).toMatchObject({ confirmEmail: null });
    expect(errors).toMatchObject([{ extensions: { reason: 'TOKEN_MISSING' } }]);
    expect((await ana.query('{ me { emailConfirmedAt } }')).me.emailConfirmedAt).not.toBeNull();
  });

  it('cannot use up the mails that lead the owner back', async () => {
    const here = await besieged();
    const ana = await here.newPerson();
    await here.confirms(ana);
    const { email } = ana.account;
    await ana.rest.put('/api/user/profile', { email: `${randomUUID()}@example.com` });
    const token = await here.catcher.secretFor(email, 'undo-email', 2);
    for (let each = 0; each < 4; each += 1) await here.asStranger('requestPasswordReset', { email });
    await eventually(async () => (await mailsWaiting(here.database)) === 0);
    await here.asStranger('undoEmailChange', { token });
    const reset = await here.catcher.secretFor(email, 'reset', 3);
    const { data } = await here.asStranger('resetPassword', { token: reset, newPassword: 'secret9' });
    expect(data.resetPassword).toEqual({ email });
  });

  it('guesses codes in the network of others, and keeps none of them out', async () => {
    const here = await besieged({ loginAttemptsPerAddress: 5 });
    const exchange = await here.comesBack(randomUUID());
    const guess = 'mutation ($code: String!) { exchangeLogIn(code: $code) { token } }';
    const reasons: string[] = [];
    for (let each = 0; each < 6; each += 1)
      reasons.push((await here.ask(guess, { code: randomUUID() })).errors[0].extensions.reason);
    expect(reasons).toEqual([...Array(5).fill('INVALID_CREDENTIALS'), 'TOO_MANY_ATTEMPTS']);
    expect(await exchange()).toMatchObject({ token: expect.any(String) });
  });

  it('connects a log-in with a stolen session and changes the address, and is out once that is taken back', async () => {
    const here = await besieged();
    const ana = await here.newPerson();
    await here.confirms(ana);
    const [own, stolen] = [randomUUID(), randomUUID()];
    await here.throughProvider(own, ana.token);
    const logsIn = async () => (await here.rest.post('/api/auth/login', ana.account)).body.token;
    here.clock.advance({ hours: 73 });
    await here.throughProvider(stolen, await logsIn());
    here.clock.advance({ hours: 71 });
    await here.rest.as(await logsIn()).put('/api/user/profile', { email: `${randomUUID()}@example.com` });
    const undo = { token: await here.catcher.secretFor(ana.account.email, 'undo-email', 2) };
    await here.asStranger('undoEmailChange', undo);
    expect((await here.throughProvider(stolen)).user.id).not.toBe(ana.id);
    expect((await here.throughProvider(own)).user.id).toBe(ana.id);
  });

  it('keeps nothing of a session that a reset has ended, and the owner keeps a log-in that is theirs', async () => {
    const here = await besieged();
    const ana = await here.newPerson();
    await here.confirms(ana);
    const own = randomUUID();
    const { token } = await here.throughProvider(own, ana.token);
    await here.resets(ana.account.email, 2);
    for (const each of [ana.token, token])
      expect((await here.rest.as(each).get('/api/user/profile')).status).toBe(401);
    expect((await here.throughProvider(own)).user.id).toBe(ana.id);
  });
});
