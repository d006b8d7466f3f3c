import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type TestUser, world } from '../support/world.js';

const SIGN_UP = `mutation ($input: SignUpInput!) {
  signUp(input: $input) {
    token expiresAt
    user { id name email profilePicture points currentStreak maxStreak createdAt updatedAt }
  }
}`;
const LOG_IN = `mutation ($input: LogInInput!) {
  logIn(input: $input) { token expiresAt user { id name email } }
}`;
const ME = '{ me { id name email profilePicture points currentStreak maxStreak createdAt updatedAt } }';
const UPDATE = `mutation ($input: UpdateProfileInput!) {
  updateProfile(input: $input) { user { id name email profilePicture points createdAt updatedAt } }
}`;

const someone = (given: object = {}) => ({
  input: { name: 'Ana', email: `${randomUUID()}@example.com`, password: 'secret1', ...given },
});

const refused = (code: string, message: string, field?: string) => ({
  response: {
    errors: [{ message, extensions: { code, ...(field && { fields: [{ name: field, message }] }) } }],
  },
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('signUp', () => {
  it('answers the new user, who has neither points nor streaks, and a token for 30 days', async () => {
    const { graphql, clock } = await world();
    clock.set('2026-11-21T08:30:00.000Z');
    const { input } = someone();

    const { signUp } = await graphql.request(SIGN_UP, { input });

    expect(signUp).toEqual({
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      expiresAt: '2026-12-21T08:30:00.000Z',
      user: {
        id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        name: input.name,
        email: input.email,
        profilePicture: null,
        points: 0,
        currentStreak: 0,
        maxStreak: 0,
        createdAt: '2026-11-21T08:30:00.000Z',
        updatedAt: '2026-11-21T08:30:00.000Z',
      },
    });
  });

  it('gives a token that opens the account', async () => {
    const { graphql } = await world();
    const { signUp } = await graphql.request(SIGN_UP, someone());
    const { me } = await graphql.request(ME, {}, bearer(signUp.token));
    expect(me).toEqual(signUp.user);
  });

  it('ignores a token sent along, however bad', async () => {
    const { graphql } = await world();
    const { signUp } = await graphql.request(SIGN_UP, someone(), bearer('nonsense'));
    expect(signUp.user.name).toBe('Ana');
  });

  it('trims the e-mail address, and keeps name and case as written', async () => {
    const { graphql } = await world();
    const email = `Ana-${randomUUID()}@Example.com`;
    const { signUp } = await graphql.request(SIGN_UP, someone({ name: '  Ana ', email: `  ${email} ` }));
    expect(signUp.user).toMatchObject({ name: '  Ana ', email });
  });

  it('counts lengths in code points', async () => {
    const { graphql } = await world();
    const name = '🏊'.repeat(200);
    const { signUp } = await graphql.request(SIGN_UP, someone({ name, password: '🔑'.repeat(6) }));
    expect(signUp.user.name).toBe(name);
  });

  it.each([
    ['as it is', (email: string) => email],
    ['in another case', (email: string) => email.toUpperCase()],
    ['with blanks around it', (email: string) => ` ${email} `],
  ])('refuses an e-mail address in use, written %s', async (_how, write) => {
    const { graphql, newUser } = await world();
    const { account } = await newUser();
    await expect(graphql.request(SIGN_UP, someone({ email: write(account.email) }))).rejects.toMatchObject(
      refused('BAD_USER_INPUT', 'Email already in use', 'email'),
    );
  });

  it('lets one of many simultaneous sign-ups have an e-mail address', async () => {
    const { graphql } = await world();
    const input = someone();
    const answers = await Promise.allSettled(
      Array.from({ length: 6 }, () => graphql.request(SIGN_UP, input)),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status === 'rejected')) {
      expect(answer).toMatchObject({ reason: refused('BAD_USER_INPUT', 'Email already in use', 'email') });
    }
  });

  it('names every field at fault', async () => {
    const { graphql } = await world();
    const request = graphql.request(SIGN_UP, { input: { name: ' ', email: 'ana', password: 'short' } });
    const fields = [{ name: 'name' }, { name: 'email' }, { name: 'password' }];
    await expect(request).rejects.toMatchObject({ response: { errors: [{ extensions: { fields } }] } });
  });
});

describe('logIn', () => {
  it('answers the user and a new token for 30 days', async () => {
    const { graphql, clock, newUser } = await world();
    const ana = await newUser();
    clock.set('2026-12-01T00:00:00.000Z');

    const { logIn } = await graphql.request(LOG_IN, { input: credentials(ana) });

    expect(logIn).toMatchObject({ expiresAt: '2026-12-31T00:00:00.000Z', user: { id: ana.id } });
    expect(logIn.token).not.toBe(ana.token);
    const { me } = await graphql.request(ME, {}, bearer(logIn.token));
    expect(me.id).toBe(ana.id);
  });

  it('finds the account whatever the case of the e-mail address, with blanks around it too', async () => {
    const { graphql, newUser } = await world();
    const ana = await newUser();
    const { email, password } = credentials(ana);
    const { logIn } = await graphql.request(LOG_IN, {
      input: { email: ` ${email.toUpperCase()}`, password },
    });
    expect(logIn.user).toMatchObject({ id: ana.id, email });
  });

  it('shows who logs in, active challenge included, whoever sent a token or none', async () => {
    const { graphql, newUser } = await world();
    const [ana, bea] = [await newUser(), await newUser()];
    const { id } = await ana.hasAccepted();
    await bea.hasAccepted();
    const document = `mutation ($input: LogInInput!) {
      logIn(input: $input) { user { id activeChallenge { id template { id } } } }
    }`;
    const anas = { id: ana.id, activeChallenge: { id: String(id), template: { id: '1' } } };
    for (const client of [bea.graphql, graphql]) {
      const { logIn } = await client.request(document, { input: credentials(ana) });
      expect(logIn.user).toEqual(anas);
    }
  });

  it('says the same of a wrong password and of an unknown e-mail address', async () => {
    const { graphql, newUser } = await world();
    const { email, password } = credentials(await newUser());
    const no = refused('UNAUTHENTICATED', 'Invalid email or password');
    const wrong = [
      { email, password: `${password}x` },
      { email, password: password.toUpperCase() },
      { email, password: '' },
      { email: `x${email}`, password },
      { email: 'not an address', password },
    ];
    for (const input of wrong) await expect(graphql.request(LOG_IN, { input })).rejects.toMatchObject(no);
  });

  it('lets all of a long password count', async () => {
    const { graphql, newUser } = await world();
    const start = 'p'.repeat(100);
    const { email } = credentials(await newUser({ password: `${start}1` }));
    const logIn = (password: string) => graphql.request(LOG_IN, { input: { email, password } });
    await expect(logIn(`${start}2`)).rejects.toMatchObject(
      refused('UNAUTHENTICATED', 'Invalid email or password'),
    );
    await expect(logIn(`${start}1`)).resolves.toMatchObject({ logIn: { user: { email } } });
  });
});

describe('updateProfile', () => {
  it('changes what is given and nothing else', async () => {
    const { clock, newUser } = await world();
    const ana = await newUser();
    const { me } = await ana.graphql.request(ME);
    clock.set('2026-11-22T07:00:00.001Z');

    const { updateProfile } = await ana.graphql.request(UPDATE, { input: { name: 'Ana Lima' } });

    const { currentStreak: _, maxStreak: __, ...before } = me;
    const after = { ...before, name: 'Ana Lima', updatedAt: '2026-11-22T07:00:00.001Z' };
    expect(updateProfile.user).toEqual(after);
    expect((await ana.graphql.request(ME)).me).toMatchObject(after);
  });

  it('sets the picture, and clears it by null', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const set = async (profilePicture: string | null) =>
      (await ana.graphql.request(UPDATE, { input: { profilePicture } })).updateProfile.user.profilePicture;
    expect(await set('http://localhost:8080/ana.png')).toBe('http://localhost:8080/ana.png');
    expect(await set(null)).toBeNull();
  });

  it('takes a new e-mail address, under which the account is found from then on', async () => {
    const { graphql, newUser } = await world();
    const ana = await newUser();
    const email = `Ana-${randomUUID()}@example.com`;
    const { updateProfile } = await ana.graphql.request(UPDATE, { input: { email: ` ${email} ` } });
    expect(updateProfile.user.email).toBe(email);
    const { logIn } = await graphql.request(LOG_IN, { input: { ...credentials(ana), email } });
    expect(logIn.user.id).toBe(ana.id);
    await expect(graphql.request(LOG_IN, { input: credentials(ana) })).rejects.toThrow(/Invalid email/);
  });

  it('takes the own e-mail address in another case', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const email = ana.account.email.toUpperCase();
    const { updateProfile } = await ana.graphql.request(UPDATE, { input: { email } });
    expect(updateProfile.user.email).toBe(email);
  });

  it('changes the password, and tokens stay valid', async () => {
    const { graphql, newUser } = await world();
    const ana = await newUser();
    const { email, password } = credentials(ana);
    await ana.graphql.request(UPDATE, { input: { newPassword: 'another' } });
    await expect(graphql.request(LOG_IN, { input: { email, password } })).rejects.toThrow(/Invalid email/);
    await expect(graphql.request(LOG_IN, { input: { email, password: 'another' } })).resolves.toBeDefined();
    expect((await ana.graphql.request(ME)).me.id).toBe(ana.id);
  });

  it('refuses an e-mail address of another account and changes nothing', async () => {
    const { newUser } = await world();
    const [ana, bea] = [await newUser(), await newUser()];
    const input = { name: 'Bea', email: bea.account.email.toUpperCase() };
    await expect(ana.graphql.request(UPDATE, { input })).rejects.toMatchObject(
      refused('BAD_USER_INPUT', 'Email already in use', 'email'),
    );
    expect((await ana.graphql.request(ME)).me).toMatchObject({ name: 'Ana', email: ana.account.email });
  });
});

function credentials({ account: { email, password } }: TestUser) {
  return { email, password };
}
