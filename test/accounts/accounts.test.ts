import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { apis, refused, world, worldOf } from '../support/apis.js';
import { configOf } from '../support/database.js';

const newEmail = () => `Ana-${randomUUID()}@example.com`;
const someone = (given: object = {}) => ({
  name: 'Ana',
  email: newEmail(),
  password: 'secret1',
  ...given,
});
const wrong = refused('unauthenticated', 'Invalid email or password');

describe.each(apis)('Signing up, over %s', (api) => {
  it('needs no token and ignores one that is no good, as logging in does', async () => {
    const { stranger } = await world(api);
    const { email, password, name } = someone();
    const user = { name, email };
    expect(await stranger('nonsense').signsUp({ ...user, password })).toMatchObject({ user });
    expect(await stranger('nonsense').logsIn({ email, password })).toMatchObject({ user });
  });

  it('gives an e-mail address to only one of many who ask for it at once', async () => {
    const { stranger } = await world(api);
    const account = someone();
    const answers = await Promise.allSettled(Array.from({ length: 6 }, () => stranger().signsUp(account)));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status === 'rejected')) {
      expect(answer).toMatchObject({ reason: refused('invalid', 'Email already in use') });
    }
  });

  it('keeps name and e-mail address exactly as sent, but for the space around the address', async () => {
    const { stranger } = await world(api);
    const [name, email] = ['  Zoë "O\'Neil" \\ <b>李</b> 👩‍👩‍👧 ', newEmail()];
    const { user } = await stranger().signsUp(someone({ name, email: ` \t${email} ` }));
    expect(user).toMatchObject({ name, email });
  });

  it('takes what is as short, as long or as strange as may be', async () => {
    const { stranger } = await world(api);
    for (const field of [
      { name: '😀'.repeat(200) }, // counted in code points
      { email: `${randomUUID()}@`.padEnd(320, 'x') },
      { email: `${randomUUID()}@localhost` },
      ...['123456', '🔑'.repeat(6), '      ', 'p'.repeat(10_000)].map((password) => ({ password })),
    ]) {
      const { password: _, ...shown } = someone(field);
      expect((await stranger().signsUp({ password: 'secret1', ...shown, ...field })).user).toMatchObject(
        shown,
      );
    }
  });

  it('may be closed, which lets those log in who have an account', async () => {
    const open = await world(api);
    const { account } = await open.newUser();
    const config = { ...configOf(), signUp: 'closed' as const };
    const { stranger } = await world(api, { database: open.database, config });
    const { email, password } = account;
    expect(await stranger().logsIn({ email, password })).toMatchObject({ user: { email } });
  });
});

describe.each(apis)('Logging in, over %s', (api) => {
  it('gives a new token and the user as it is now', async () => {
    const { ana, clock, stranger } = await worldOf(api, 'ana');
    await ana.completes(await ana.createsTask({ points: 2.5 }));
    const { email, password } = ana.account;
    clock.set('2026-12-01T00:00:00.000Z');
    const { token, user } = await stranger().logsIn({ email, password });
    const counters = { points: 2.5, currentStreak: 1, maxStreak: 1 };
    expect(user).toEqual({ id: ana.id, name: 'Ana', email, ...counters });
    expect(token).not.toBe(ana.token);
    expect(await stranger(token).profile()).toMatchObject({ id: ana.id });
  });

  it('finds the e-mail address whatever its case and the space around it', async () => {
    const { stranger, newUser } = await world(api);
    const { email, password } = (await newUser({ email: newEmail() })).account;
    for (const variant of [email.toUpperCase(), email.toLowerCase(), ` ${email}\t`]) {
      expect(await stranger().logsIn({ email: variant, password })).toMatchObject({ user: { email } });
    }
  });

  it.each([
    ['beyond 72 bytes', `${'p'.repeat(72)}1`, `${'p'.repeat(72)}2`],
    ['in every letter’s case', 'secretA', 'secreta'],
    ['with the space around it', 'secret1 ', 'secret1'],
  ])('compares the whole password, %s', async (_what, password, other) => {
    const { stranger, newUser } = await world(api);
    const { email } = (await newUser({ password })).account;
    expect(await stranger().logsIn({ email, password })).toMatchObject({ user: { email } });
    await expect(stranger().logsIn({ email, password: other })).rejects.toEqual(wrong);
  });
});

describe.each(apis)('Changing the profile, over %s', (api) => {
  const picture = 'https://example.com/ana.png';

  it('changes what is given, and the time of the update', async () => {
    const { ana, clock } = await worldOf(api, 'ana');
    let before = await ana.changesProfile({ profilePicture: picture });
    for (const { newPassword, ...shown } of [
      {
        name: 'Anabel',
        profilePicture: 'http://münchen.example:8443/a%20b.png?size=2#face',
        email: newEmail(),
        newPassword: 'secret2',
      },
      { name: 'Anna' },
      { profilePicture: null },
      { email: newEmail() },
      { newPassword: 'secret3' },
      {},
    ] as { newPassword?: string }[]) {
      clock.advance({ hours: 1 });
      const after = { ...before, ...shown, updatedAt: clock.now().toISOString() };
      expect(await ana.changesProfile({ ...shown, ...(newPassword && { newPassword }) })).toEqual(after);
      expect(await ana.profile()).toEqual(after);
      before = after;
    }
  });

  it('trims the e-mail address, which may be its own in another case, and frees the one given up', async () => {
    const { ana, stranger } = await worldOf(api, 'ana');
    const { name, email: old, password } = ana.account;
    const email = newEmail();
    for (const own of [old, old.toUpperCase()])
      expect(await ana.changesProfile({ email: own })).toMatchObject({ email: own });
    expect(await ana.changesProfile({ email: ` ${email} ` })).toMatchObject({ email });
    expect(await stranger().logsIn({ email, password })).toMatchObject({ user: { id: ana.id } });
    await expect(stranger().logsIn({ email: old, password })).rejects.toEqual(wrong);
    expect(await stranger().signsUp({ name, email: old, password })).toMatchObject({ user: { name } });
  });

  it('sets a new password, and tokens stay valid', async () => {
    const { ana, stranger } = await worldOf(api, 'ana');
    const { email } = ana.account;
    await ana.changesProfile({ newPassword: 'secret2' });
    expect(await stranger().logsIn({ email, password: 'secret2' })).toMatchObject({ user: { id: ana.id } });
    await expect(stranger().logsIn({ email, password: 'secret1' })).rejects.toEqual(wrong);
    expect(await ana.profile()).toMatchObject({ id: ana.id });
  });
});
