import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { LogInInput } from '../../src/accounts/account.input.js';
import { inputFrom } from '../../src/validation/gate.js';
import { refusal, world } from '../support/world.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const newEmail = () => `Ana-${randomUUID()}@example.com`;
const signUpBody = () => ({ name: 'Ana', email: newEmail(), password: 'secret1' });
const naming = (field: string) => expect.stringMatching(new RegExp(field, 'i'));
const emailOfLength = (length: number) => `${randomUUID()}@`.padEnd(length, 'x');

describe('POST /api/auth/signup', () => {
  it('answers 201 with a token and the six public fields of the new user', async () => {
    const { rest } = await world();
    const { email, ...others } = signUpBody();
    const { status, body } = await rest.post('/api/auth/signup', { email, ...others });
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(['token', 'user']);
    expect(body.token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(Object.entries(body.user)).toEqual(
      Object.entries({
        id: expect.stringMatching(UUID),
        name: 'Ana',
        email,
        points: 0,
        current_streak: 0,
        max_streak: 0,
      }),
    );
  });

  it('answers with a token that opens the new account', async () => {
    const { rest } = await world();
    const { body } = await rest.post('/api/auth/signup', signUpBody());
    const profile = await rest.as(body.token).get('/api/user/profile');
    expect(profile).toMatchObject({ status: 200, body: { id: body.user.id } });
  });

  it('needs no token and ignores one that is no good', async () => {
    const { rest } = await world();
    expect(await rest.as('x').post('/api/auth/signup', signUpBody())).toMatchObject({ status: 201 });
  });

  it('refuses an e-mail that belongs to another account, whatever its case', async () => {
    const { rest, newUser } = await world();
    const { email } = (await newUser()).account;
    for (const taken of [email, email.toUpperCase(), ` ${email}\n`]) {
      const answer = await rest.post('/api/auth/signup', { ...signUpBody(), email: taken });
      expect(answer, taken).toEqual(refusal(400, 'Email already in use'));
    }
  });

  it('keeps the e-mail as written, without the space around it', async () => {
    const { rest } = await world();
    const email = newEmail();
    const { body } = await rest.post('/api/auth/signup', { ...signUpBody(), email: ` \t${email} ` });
    expect(body.user.email).toBe(email);
  });

  it('keeps the name exactly as sent', async () => {
    const { rest } = await world();
    const name = '  Zoë "O\'Neil" \\ <b>李</b> 👩‍👩‍👧 ';
    const { body } = await rest.post('/api/auth/signup', { ...signUpBody(), name });
    expect(body.user.name).toBe(name);
  });

  it.each([
    ['a name of 200 characters, counted in code points', { name: '😀'.repeat(200) }],
    ['an e-mail of 320 characters', { email: emailOfLength(320) }],
    ['an e-mail of any domain', { email: `${randomUUID()}@localhost` }],
    ['a password of exactly 6 characters', { password: '123456' }],
    ['a password of 6 characters outside the Basic Multilingual Plane', { password: '🔑'.repeat(6) }],
    ['a password of spaces', { password: '      ' }],
    ['a password of 10,000 characters', { password: 'p'.repeat(10_000) }],
  ])('accepts %s', async (_what, field) => {
    const { rest } = await world();
    const answer = await rest.post('/api/auth/signup', { ...signUpBody(), ...field });
    expect(answer).toMatchObject({ status: 201 });
  });

  it('makes no account when it refuses', async () => {
    const { rest } = await world();
    const account = signUpBody();
    await rest.post('/api/auth/signup', { ...account, password: '12345' });
    expect(await rest.post('/api/auth/signup', account)).toMatchObject({ status: 201 });
  });
});

describe('POST /api/auth/login', () => {
  it('answers 200 with the body of signup: a new token and the user as it is now', async () => {
    const { rest, newUser } = await world();
    const ana = await newUser();
    await ana.completes(await ana.hasTask({ points: 2.5 }));
    const { email, password } = ana.account;
    const { status, body } = await rest.post('/api/auth/login', { email, password });
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['token', 'user']);
    expect(Object.entries(body.user)).toEqual(
      Object.entries({ id: ana.id, name: 'Ana', email, points: 2.5, current_streak: 1, max_streak: 1 }),
    );
    expect(await rest.as(body.token).get('/api/user/profile')).toMatchObject({ body: { id: ana.id } });
  });

  it('finds the e-mail whatever its case and the space around it', async () => {
    const { rest, newUser } = await world();
    const { email, password } = (await newUser({ email: newEmail() })).account;
    for (const variant of [email.toUpperCase(), email.toLowerCase(), ` ${email}\t`]) {
      expect(await rest.post('/api/auth/login', { email: variant, password })).toMatchObject({
        status: 200,
        body: { user: { email } },
      });
    }
  });

  it('folds an e-mail as the unique index does, letter by letter', async () => {
    const { database } = await world();
    const letters = Array.from({ length: 0x2_ffff }, (_, index) => index + 1)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code));
    const written = `x${letters.join('')}x`;
    const { rows } = await sql<{ folded: string }>`
      select lower(${written}::text collate "C") as folded
    `.execute(database.query());
    const { email } = inputFrom(LogInInput, { email: ` ${written}\t`, password: 'secret1' });
    expect(email === rows[0]?.folded).toBe(true); // and not with toBe, which would print it all
  });

  it('answers an unknown e-mail and a wrong password alike', async () => {
    const { rest, newUser } = await world();
    const { email } = (await newUser()).account;
    for (const body of [
      { email, password: 'secret2' },
      { email, password: '' },
      { email: newEmail(), password: 'secret1' },
      { email: 'no address', password: 'secret1' },
    ]) {
      const answer = await rest.post('/api/auth/login', body);
      expect(answer, JSON.stringify(body)).toEqual(refusal(401, 'Invalid email or password'));
    }
  });

  it.each(['email', 'password'])('refuses a missing or ill-typed %s', async (field) => {
    const { rest, newUser } = await world();
    const { email, password } = (await newUser()).account;
    for (const value of [undefined, null, 5, true, ['secret1'], { $ne: '' }]) {
      const answer = await rest.post('/api/auth/login', { email, password, [field]: value });
      expect(answer, JSON.stringify(value)).toEqual(refusal(400, naming(field)));
    }
  });

  it('finds an account whose e-mail would be refused today, and leaves it as it is', async () => {
    const { database, rest, newUser } = await world();
    const ana = await newUser();
    const email = `\u202eana\u200b-${randomUUID()}@example.com`;
    await sql`update users set email = ${email} where id = ${ana.id}`.execute(database.query());
    const answer = await rest.post('/api/auth/login', { email, password: ana.account.password });
    expect(answer).toMatchObject({ status: 200, body: { user: { email } } });
    const changed = await rest.as(answer.body.token).put('/api/user/profile', { name: 'Bea' });
    expect(changed).toMatchObject({ status: 200, body: { name: 'Bea', email } });
  });

  it('ignores a token sent along', async () => {
    const { rest, newUser } = await world();
    const { email, password } = (await newUser()).account;
    expect(await rest.as('x').post('/api/auth/login', { email, password })).toMatchObject({ status: 200 });
  });

  it.each([
    ['beyond 72 bytes', `${'p'.repeat(72)}1`, `${'p'.repeat(72)}2`],
    ['in every letter’s case', 'secretA', 'secreta'],
    ['with the space around it', 'secret1 ', 'secret1'],
  ])('compares the whole password, %s', async (_what, password, other) => {
    const { rest, newUser } = await world();
    const { email } = (await newUser({ password })).account;
    expect(await rest.post('/api/auth/login', { email, password })).toMatchObject({ status: 200 });
    expect(await rest.post('/api/auth/login', { email, password: other })).toMatchObject({ status: 401 });
  });
});

describe('Every field of an account', () => {
  const unseen = ['\u0007', '\u001b[31m', '\u009b', '\u00ad', '\u200b', '\u202e', '\u2066', '\u{e0041}'];
  const names = ['', '   ', '\t\n', '\u3000', 5, null, true, ['Ana'], { first: 'Ana' }, 'x'.repeat(201)];
  names.push('\u200b', ...unseen.map((each) => `A${each}na`));
  const emails = ['', 'ana', '@x', 'ana@', 'a na@x', 5, null, ['a@b'], {}, emailOfLength(321)];
  emails.push(...[...unseen, '\u200d', '\u200f', '\u2028'].map((each) => `a${each}na@example.com`));
  const passwords = ['', '12345', '🔑'.repeat(5), 123456, null, ['secret1'], { length: 6 }];
  const noAddresses = [
    '',
    'a.png',
    '//x.org/a',
    'ftp://x.org/a',
    'javascript:alert(1)',
    'data:,a',
    'http://',
  ];
  const otherPictures = [
    5,
    true,
    ['http://x.org'],
    {},
    'https://x y.org',
    'http://x.org/'.padEnd(2_049, 'x'),
  ];

  it.each([
    ['name', [undefined, ...names]],
    ['email', [undefined, ...emails]],
    ['password', [undefined, ...passwords]],
  ])('is refused at signup, and named, when it breaks its rule: %s', async (field, values) => {
    const { rest } = await world();
    for (const value of values) {
      const answer = await rest.post('/api/auth/signup', { ...signUpBody(), [field]: value });
      expect(answer, JSON.stringify(value)).toEqual(refusal(400, naming(field)));
    }
  });

  it.each([
    ['name', 'name', names],
    ['email', 'email', emails],
    ['newPassword', 'password', passwords],
    ['profile_picture', 'picture', [...noAddresses, ...otherPictures]],
  ])('is refused in the profile, and named, when it breaks its rule: %s', async (field, called, values) => {
    const { newUser } = await world();
    const ana = await newUser();
    const before = await ana.profile();
    for (const value of values) {
      const answer = await ana.rest.put('/api/user/profile', { name: 'Bea', [field]: value });
      expect(answer, JSON.stringify(value)).toEqual(refusal(400, naming(called)));
    }
    expect(await ana.profile()).toEqual(before);
  });
});

describe('The password', () => {
  it('is never returned, nor is its hash', async () => {
    const { rest, newUser } = await world();
    const password = 'correct horse battery';
    const ana = await newUser({ password });
    const answers = await Promise.all([
      rest.post('/api/auth/signup', { ...signUpBody(), password }),
      rest.post('/api/auth/login', { email: ana.account.email, password }),
      rest.post('/api/auth/signup', { ...signUpBody(), password, name: '' }),
      ana.rest.get('/api/user/profile'),
      ana.rest.put('/api/user/profile', { newPassword: password }),
      ana.rest.put('/api/user/profile', { newPassword: password, name: '' }),
    ]);
    for (const { text } of answers) expect(text).not.toMatch(/correct horse|hash|password/i);
  });

  it('is kept as a bcrypt hash that names its scheme, never twice the same', async () => {
    const { database, newUser } = await world();
    const ids = [(await newUser()).id, (await newUser()).id];
    const query = sql<{
      password_hash: string;
    }>`select password_hash from users where id in (${sql.join(ids)})`;
    const hashes = (await query.execute(database.query())).rows.map(({ password_hash }) => password_hash);
    for (const hash of hashes) expect(hash).toMatch(/^[\w+-]+:\$2[aby]\$\d\d\$.{53}$/);
    expect(new Set(hashes).size).toBe(2);
  });
});
