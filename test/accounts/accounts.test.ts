import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { apis, refused, world, worldOf } from '../support/apis.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const newEmail = () => `Ana-${randomUUID()}@example.com`;
const someone = (given: object = {}) => ({
  name: 'Ana',
  email: newEmail(),
  password: 'secret1',
  ...given,
});
const wrong = refused('unauthenticated', 'Invalid email or password');

describe.each(apis)('Signing up, over %s', (api) => {
  it('makes a user with neither points nor streaks, and gives a token that opens the account', async () => {
    const { stranger, clock } = await world(api);
    clock.set('2026-11-21T08:30:00.000Z');
    const account = someone();
    const { token, user } = await stranger().signsUp(account);
    expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    const { name, email } = account;
    const nothing = { points: 0, currentStreak: 0, maxStreak: 0 };
    expect(user).toEqual({ id: expect.stringMatching(UUID), name, email, ...nothing });
    expect(await stranger(token).profile()).toEqual({
      ...user,
      profilePicture: null,
      createdAt: '2026-11-21T08:30:00.000Z',
      updatedAt: '2026-11-21T08:30:00.000Z',
    });
  });

  it('needs no token and ignores one that is no good', async () => {
    const { stranger } = await world(api);
    expect(await stranger('nonsense').signsUp(someone())).toMatchObject({ user: { name: 'Ana' } });
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

  it('keeps the e-mail address as written, without the space around it', async () => {
    const { stranger } = await world(api);
    const email = newEmail();
    const { user } = await stranger().signsUp(someone({ email: ` \t${email} ` }));
    expect(user.email).toBe(email);
  });

  it('keeps the name exactly as sent', async () => {
    const { stranger } = await world(api);
    const name = '  Zoë "O\'Neil" \\ <b>李</b> 👩‍👩‍👧 ';
    expect((await stranger().signsUp(someone({ name }))).user.name).toBe(name);
  });

  it.each([
    ['a name of 200 characters, counted in code points', { name: '😀'.repeat(200) }],
    ['an e-mail of 320 characters', { email: `${randomUUID()}@`.padEnd(320, 'x') }],
    ['an e-mail of any domain', { email: `${randomUUID()}@localhost` }],
    ['a password of exactly 6 characters', { password: '123456' }],
    ['a password of 6 characters outside the Basic Multilingual Plane', { password: '🔑'.repeat(6) }],
    ['a password of spaces', { password: '      ' }],
    ['a password of 10,000 characters', { password: 'p'.repeat(10_000) }],
  ])('takes %s', async (_what, field) => {
    const { stranger } = await world(api);
    const email = newEmail();
    const { user } = await stranger().signsUp(someone({ email, ...field }));
    const { password: _, ...shown } = { password: '', email, ...field };
    expect(user).toMatchObject(shown);
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

  it('ignores a token sent along', async () => {
    const { stranger, newUser } = await world(api);
    const { email, password } = (await newUser()).account;
    expect(await stranger('x').logsIn({ email, password })).toMatchObject({ user: { email } });
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

  it.each([
    {
      name: 'Anabel',
      profilePicture: 'https://example.com/bel.png',
      email: newEmail(),
      newPassword: 'secret2',
    },
    { name: 'Anabel' },
    { profilePicture: 'http://localhost:3000/ana.png' },
    { profilePicture: null },
    { email: newEmail() },
    { newPassword: 'secret2' },
    {},
  ])('changes what is given, and the time of the update: %j', async (changes) => {
    const { ana, clock } = await worldOf(api, 'ana');
    const before = await ana.changesProfile({ profilePicture: picture });
    clock.advance({ hours: 1 });
    const { newPassword: _, ...shown } = { newPassword: '', ...changes };
    // Each API by itself, so that an address is taken once.
    if (shown.email) Object.assign(shown, { email: newEmail() });
    const given = { ...changes, ...shown };
    const after = { ...before, ...shown, updatedAt: clock.now().toISOString() };
    expect(await ana.changesProfile(given)).toEqual(after);
    expect(await ana.profile()).toEqual(after);
  });

  it('takes any http or https address of at most 2,048 characters as picture', async () => {
    const { ana } = await worldOf(api, 'ana');
    for (const profilePicture of [
      'http://localhost/ana.png',
      'https://example.com:8443/a%20b.png?size=2#face',
      'https://münchen.example/ä.png',
      'https://example.com/'.padEnd(2_048, 'x'),
    ]) {
      expect(await ana.changesProfile({ profilePicture })).toMatchObject({ profilePicture });
    }
  });

  it('takes the user’s own e-mail address again, also in another case', async () => {
    const { ana } = await worldOf(api, 'ana');
    for (const email of [ana.account.email, ana.account.email.toUpperCase()]) {
      expect(await ana.changesProfile({ email })).toMatchObject({ email });
    }
  });

  it('trims the e-mail address, finds the account under it, and frees the one given up', async () => {
    const { ana, stranger } = await worldOf(api, 'ana');
    const { name, email: old, password } = ana.account;
    const email = newEmail();
    expect(await ana.changesProfile({ email: ` ${email} ` })).toMatchObject({ email });
    expect(await stranger().logsIn({ email, password })).toMatchObject({ user: { id: ana.id } });
    await expect(stranger().logsIn({ email: old, password })).rejects.toEqual(wrong);
    expect(await stranger().signsUp({ name, email: old, password })).toMatchObject({ user: { email: old } });
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
