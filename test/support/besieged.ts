import { randomUUID } from 'node:crypto';
import type { Config } from '../../src/base/config.js';
import { ownDatabase } from './database.js';
import { configWithMail, DOCUMENTS, mailCatcher } from './mail.js';
import { Browser, type Person, settingsOf, testProvider } from './provider.js';
import { type TestUser, world } from './world.js';

const PUBLIC_URL = 'https://habits.example.com';

const EXCHANGE =
  'mutation ($code: String!) { exchangeLogIn(code: $code) { token user { id identities { id } } } }';

/** A service with mail and a provider, and what somebody needs who wants to get into an account of another. */
export async function besieged(limits: Partial<Config> = {}) {
  const [catcher, provider] = [
    await mailCatcher(),
    await testProvider({ redirectUris: [`${PUBLIC_URL}/auth/oidc/callback`] }),
  ];
  const database = await ownDatabase();
  const config = { ...configWithMail(catcher, { ...settingsOf(provider), PUBLIC_URL }), ...limits };
  const here = await world({ database, config });
  const ask = async (query: string, variables: object, headers?: Record<string, string>, token?: string) =>
    (await (token ? here.rest.as(token) : here.rest).post('/graphql', { query, variables }, headers)).body;

  /** Comes back from the provider, with a code; with the token of a session, to connect its account. */
  async function comesBack(sub: string, token?: string, person: Partial<Person> = {}) {
    provider.people.set(sub, {
      ...{ sub, name: 'Eve', email: `${sub}@example.com`, email_verified: true },
      ...person,
    });
    const browser = new Browser(PUBLIC_URL, here.base);
    const begun = token && (await ask('mutation { connectIdentity { url } }', {}, {}, token));
    const start = begun ? begun.data.connectIdentity.url : `${PUBLIC_URL}/auth/oidc`;
    const code = (await browser.follow(start, sub)).slice('#login='.length);
    const cookie = browser.header(`${PUBLIC_URL}/graphql`);
    const variables = { code };
    return async (rest = here.rest) => {
      const as = token ? rest.as(token) : rest;
      return (await as.post('/graphql', { query: EXCHANGE, variables }, { cookie })).body.data.exchangeLogIn;
    };
  }

  /** Logs in at the provider; with the token of a session, connects its account. */
  const throughProvider = async (sub: string, token?: string) => (await comesBack(sub, token))();

  const asStranger = (name: keyof typeof DOCUMENTS, variables: object, address = '10.1.1.1') =>
    ask(DOCUMENTS[name], variables, { 'X-Forwarded-For': address });

  async function confirms({ account }: TestUser): Promise<void> {
    await asStranger('confirmEmail', { token: await catcher.secretFor(account.email, 'confirm') });
  }

  /** `count` mails are there by then. */
  async function resets(email: string, count: number, newPassword = 'secret9') {
    await asStranger('requestPasswordReset', { email });
    const token = await catcher.secretFor(email, 'reset', count);
    return asStranger('resetPassword', { token, newPassword });
  }

  const newPerson = () => here.newUser({ email: `${randomUUID()}@example.com` });
  const sends = { ask, asStranger, throughProvider, comesBack, confirms, resets, newPerson };
  return { ...here, ...sends, catcher, provider, config };
}

export type Besieged = Awaited<ReturnType<typeof besieged>>;
