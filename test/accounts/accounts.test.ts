import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { inputFrom } from '../../src/base/validation.js';
import { LogInInput } from '../../src/features/account/account.input.js';
import { apis, refused, world, worldOf } from '../support/apis.js';
import { configOf } from '../support/database.js';
import { world as wholeWorld } from '../support/world.js';

const newEmail = () => `Ana-${randomUUID()}@example.com`;
const someone = (given: object = {}) => ({ name: 'Ana', email: newEmail(), password: 'secret1', ...given });
const wrong = refused('unauthenticated', 'Invalid email or password');

describe.each(apis)('Signing up, over %s', (api) => {
  it('needs no token and ignores one that is no good, as logging in does; what is sent is kept to the letter', async () => {
    const stranger = (await world(api)).stranger('nonsense');
    const { email, password, name } = someone({ name: '  Zoë "O\'Neil" \\ <b>李</b> 👩‍👩‍👧 ' });
    const user = { name, email };
    expect(await stranger.signsUp({ name, email: ` \t${email} `, password })).toMatchObject({ user });
    for (const variant of [email.toUpperCase(), email.toLowerCase(), ` ${email}\t`])
      expect(await stranger.logsIn({ email: variant, password })).toMatchObject({ user });
  });

  it('gives an e-mail address to only one of many who ask for it at once', async () => {
    const { stranger } = await world(api);
    const account = someone();
    const answers = await Promise.allSettled(Array.from({ length: 6 }, () => stranger().signsUp(account)));
    const reasons = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    expect(reasons).toEqual(Array(5).fill(refused('invalid', 'Email already in use')));
  });

  it('takes what is as short, as long or as strange as may be', async () => {
    const { stranger } = await world(api);
    for (const field of [
      { name: '😀'.repeat(200) }, // counted in code points
      { email: `${randomUUID()}@`.padEnd(320, 'x') },
      { email: `${randomUUID()}@localhost` },
      ...['123456', '🔑'.repeat(6), '      ', 'p'.repeat(10_000)].map((password) => ({ password })),
    ]) {
      const { password, ...shown } = someone(field);
      expect((await stranger().signsUp({ ...shown, password })).user).toMatchObject(shown);
    }
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

it('An e-mail address is folded as the unique index does, letter by letter', async () => {
  const { database } = await wholeWorld();
  const letters = Array.from({ length: 0x2_ffff }, (_, index) => index + 1)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code));
  const written = `x${letters.join('')}x`;
  const query = sql<{ folded: string }>`select lower(${written}::text collate "C") as folded`;
  const [row] = (await query.execute(database.query())).rows;
  const { email } = inputFrom(LogInInput, { email: ` ${written}\t`, password: 'secret1' });
  expect(email === row?.folded).toBe(true); // and not with toBe, which would print it all
});

describe.each(apis)('Changing the profile, over %s', (api) => {
  it('changes what is given, and the time of the update, also beside an address that would be refused today', async () => {
    const { ana, clock, database } = await worldOf(api, 'ana');
    const email = `\u202eana\u200b-${randomUUID()}@example.com`;
    await sql`update users set email = ${email} where id = ${ana.id}`.execute(database.query());
    let before = await ana.changesProfile({ profilePicture: 'https://example.com/ana.png' });
    expect(before.email).toBe(email);
    const picture = 'http://münchen.example:8443/a%20b.png?size=2#face';
    const changes: { newPassword?: string }[] = [
      ...[{ name: 'Anna' }, { profilePicture: null }, { email: newEmail() }, { newPassword: 'secret2' }, {}],
      { name: 'Anabel', profilePicture: picture, email: newEmail(), newPassword: 'secret3' } as object,
    ];
    for (const { newPassword, ...shown } of changes) {
      clock.advance({ hours: 1 });
      const after = { ...before, ...shown, updatedAt: clock.now().toISOString() };
      expect(await ana.changesProfile({ ...shown, ...(newPassword && { newPassword }) })).toEqual(after);
      expect(await ana.profile()).toEqual(after);
      before = after;
    }
  });

  it('trims the address, which may be its own in another case, and frees the one given up; tokens stay valid', async () => {
    const { ana, stranger } = await worldOf(api, 'ana');
    const { name, email: old, password } = ana.account;
    const email = newEmail();
    for (const own of [old, old.toUpperCase()])
      expect(await ana.changesProfile({ email: own })).toMatchObject({ email: own });
    expect(await ana.changesProfile({ email: ` ${email} ` })).toMatchObject({ email });
    await ana.changesProfile({ newPassword: 'secret2' });
    expect(await ana.profile()).toMatchObject({ id: ana.id });
    expect(await stranger().logsIn({ email, password: 'secret2' })).toMatchObject({ user: { id: ana.id } });
    await expect(stranger().logsIn({ email, password })).rejects.toEqual(wrong);
    await expect(stranger().logsIn({ email: old, password: 'secret2' })).rejects.toEqual(wrong);
    expect(await stranger().signsUp({ name, email: old, password })).toMatchObject({ user: { name } });
  });
});

it.each([
  'changePassword(input: { currentPassword: $password, newPassword: "another1" }) { user { id } }',
  'changeEmail(input: { currentPassword: $password, newEmail: "$new" }) { user { id } }',
  'deleteMyAccount(password: $password) { deletedId }',
])(
  '%s counts a wrong password as a failed log-in, and is refused when there were too many',
  async (field) => {
    const { clock, database, rest, ...here } = await wholeWorld({
      config: { ...configOf(), loginAttemptsPerAccount: 3 },
    });
    const ana = await here.newUser();
    const { email, password } = ana.account;
    const query = `mutation ($password: String) { ${field.replace('$new', newEmail())} }`;
    const reasonWith = async (given?: string) =>
      (await ana.rest.ask(query, { password: given })).errors?.[0].extensions.reason;
    const logsIn = async () => (await rest.post('/api/auth/login', { email, password })).status;
    for (const _ of [1, 2, 3]) expect(await reasonWith('wrong1')).toBe('INVALID_CREDENTIALS');
    expect(await reasonWith(password)).toBe('TOO_MANY_ATTEMPTS');
    expect(await logsIn()).toBe(429);
    clock.advance({ seconds: 900 });
    expect(await logsIn()).toBe(200);
    if (field.startsWith('deleteMyAccount')) return; // a session is asked for instead (test/sign-in/oidc.test.ts)
    await sql`update users set password_hash = null where id = ${ana.id}`.execute(database.query());
    expect(await reasonWith()).toBeUndefined(); // it has only ever logged in at a provider
  },
);
