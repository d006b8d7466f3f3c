import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Clock } from '../../base/clock.js';
import { invalid, missing, Refusal, unauthenticated } from '../../base/errors.js';
import type { Caller } from '../../base/scopes.js';
import { inputFrom } from '../../base/validation.js';
import type { Database } from '../../database/database.js';
import type { AccountEvents } from '../account/account.events.js';
import { emailTaken, signUpClosed } from '../account/account.refusals.js';
import type { AccountService, Proven, SignedIn } from '../account/account.service.js';
import type { LoginLimit } from '../account/login-limit.js';
import { insertAccount, newAccount } from '../account/new-account.js';
import { digestOf, newSecret } from '../account/secret.js';
import { UUID } from '../account/tokens.js';
import { lockPerson } from './account-link.queries.js';
import {
  type AtProvider,
  asConnected,
  deleteIdentity,
  findUser,
  hasLoggedInSince,
  type IdentityTables,
  insertExchange,
  insertIdentity,
  listIdentities,
  noteLogIn,
  type TakenExchange,
  takeExchange,
  waysIn,
} from './identity.queries.js';
import { bareIssuer } from './oidc/issuer.js';
import { ProvidedAccountInput } from './sign-in.input.js';
import { lastWayIn, logInOver, noProvider } from './sign-in.refusals.js';

const MINUTE_MS = 60_000;

/** How long the browser has to fetch the session of a log-in. */
export const EXCHANGE_MS = MINUTE_MS;

/** How long a log-in at the provider stands for the password that an account does not have. */
const FRESH_MS = 5 * MINUTE_MS;

/** Somebody whom the provider has sent back. */
export interface Arrived extends AtProvider {
  /** Asks the provider, if it has not said so already. Only of a new person is it worth knowing. */
  profile: () => Promise<Profile>;
}

/** What the provider tells of them. */
export interface Profile {
  name: string | undefined;
  email: string | undefined;
  isEmailVerified: boolean;
}

/** The session that has begun to connect its account with a log-in. */
export type Starter = Pick<Caller, 'userId' | 'tokenId'>;

/** A user's log-in at a provider. */
export interface ConnectedIdentity {
  id: string;
  provider: string;
  connectedAt: Date;
}

interface Settings {
  signUp: 'open' | 'oidc' | 'closed';
  /** What people call the provider, and its issuer; undefined without any. */
  provider: { name: string; issuer: string } | undefined;
  events: AccountEvents | undefined;
}

type Query = Kysely<IdentityTables>;

/** Whether this session began with a log-in at the provider, minutes ago. */
export function hasFreshLogIn(database: Database, clock: Clock, caller: Starter): Promise<boolean> {
  const since = new Date(clock.now().getTime() - FRESH_MS);
  return hasLoggedInSince(database.query<IdentityTables>(), caller, since);
}

/** Accounts and who they are at the provider. */
export class IdentityService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly accounts: AccountService,
    private readonly limit: LoginLimit,
    private readonly settings: Settings,
  ) {}

  /**
   * Counts an attempt to come back from the provider like a log-in; call `forgive` if it was good. Each flow counts by
   * itself, so that many people who come back from one network at once are not taken for somebody who guesses.
   */
  countReturn(state: string, address: string): Promise<void> {
    return this.limit.count(digestOf(state), address);
  }

  forgiveReturn(state: string, address: string): Promise<void> {
    return this.limit.forgive(digestOf(state), address);
  }

  /** Returns the code for the address of the page, and what only this browser keeps. */
  async arrive(
    arrived: Arrived,
    starter: Starter | undefined,
    address: string,
  ): Promise<{ code: string; browser: string }> {
    const { issuer, subject } = await asConnected(this.database.query<IdentityTables>(), arrived);
    const userId = starter?.userId ?? (await this.userOf({ ...arrived, issuer }, address));
    const [code, browser, now] = [newSecret(), newSecret(), this.clock.now()];
    const exchange = { userId, issuer, subject, sessionId: starter?.tokenId ?? null };
    const digests = { codeDigest: digestOf(code), browserDigest: digestOf(browser) };
    const expiresAt = new Date(now.getTime() + EXCHANGE_MS);
    await this.database.transaction((tx) =>
      insertExchange(tx.getKysely<IdentityTables>(), { ...exchange, ...digests, expiresAt }, now),
    );
    return { code, browser };
  }

  /**
   * Only the browser that came back gets the session, once; and only the session that began it connects the two. A
   * wrong code counts like a failed log-in.
   */
  async exchange(code: string, browser: string, caller: Caller | null, address: string): Promise<SignedIn> {
    if (!this.settings.provider) throw noProvider();
    const digests = { codeDigest: digestOf(code), browserDigest: digestOf(browser) };
    const proven = await this.database.transaction(async (tx) => {
      const query = tx.getKysely<IdentityTables>();
      const now = this.clock.now();
      const exchange = await takeExchange(query, { ...digests, now });
      return exchange && this.prove(query, exchange, caller, now);
    });
    if (proven) return this.accounts.signedIn(proven);
    await this.limit.count(digests.codeDigest, address);
    throw logInOver();
  }

  /** Refuses to take the last way in away. */
  async delete(caller: Caller, id: string): Promise<void> {
    if (!UUID.test(id)) throw missing('Identity');
    const { userId } = caller;
    await this.database.transaction(async (tx) => {
      const query = tx.getKysely<IdentityTables>();
      await this.accounts.requireSession(query, caller);
      if (!(await lockPerson(query, userId))) throw unauthenticated();
      if (!(await deleteIdentity(query, userId, id))) throw missing('Identity');
      if ((await waysIn(query, userId, this.settings.provider?.issuer ?? '')) === 0) throw lastWayIn();
    });
  }

  /** Lists each user's, oldest first. */
  async listOf(userIds: readonly string[]): Promise<ConnectedIdentity[][]> {
    const found = await listIdentities(this.database.query<IdentityTables>(), userIds);
    return userIds.map((userId) =>
      found
        .filter((each) => each.userId === userId)
        .map(({ id, issuer, connectedAt }) => ({ id, provider: this.nameOf(issuer), connectedAt })),
    );
  }

  private nameOf(issuer: string): string {
    const { provider } = this.settings;
    return provider && bareIssuer(provider.issuer) === bareIssuer(issuer)
      ? provider.name
      : new URL(issuer).hostname;
  }

  private async prove(
    query: Query,
    exchange: TakenExchange,
    caller: Caller | null,
    now: Date,
  ): Promise<Proven> {
    const { userId } = exchange;
    const [generation, sessionId] = [await this.accounts.generationOf(query, userId), randomUUID()];
    if (exchange.sessionId !== null) await this.connect(query, exchange, caller, now);
    if (!(await noteLogIn(query, userId, exchange, { sessionId, now }))) throw logInOver();
    return { userId, sessionId, generation };
  }

  private async connect(
    query: Query,
    exchange: TakenExchange,
    caller: Caller | null,
    now: Date,
  ): Promise<void> {
    const isTheirs = caller?.userId === exchange.userId && caller.tokenId === exchange.sessionId;
    if (!caller || !isTheirs) throw logInOver();
    await this.accounts.requireSession(query, caller);
    await insertIdentity(query, exchange.userId, exchange, now);
    if ((await findUser(query, exchange)) !== exchange.userId)
      throw invalid('This log-in belongs to another account here', 'code');
  }

  /** The account of somebody who logs in; a new one, if new people may come in this way. */
  private async userOf(arrived: Arrived, address: string): Promise<string> {
    const known = () => findUser(this.database.query<IdentityTables>(), arrived);
    const found = await known();
    if (found !== undefined) return found;
    if (this.settings.signUp === 'closed') throw signUpClosed();
    const profile = await arrived.profile();
    return this.create(arrived, profile, address).catch(async (error: unknown) => {
      const isTaken = error instanceof Refusal && error.reason === 'EMAIL_TAKEN';
      const other = isTaken ? await known() : undefined; // at the same time
      if (other === undefined) throw error;
      return other;
    });
  }

  private async create(who: AtProvider, profile: Profile, address: string): Promise<string> {
    const person = accountOf(profile);
    const now = this.clock.now();
    const account = {
      ...newAccount(person, null, now),
      emailConfirmedAt: profile.isEmailVerified ? now : null,
    };
    await this.database.transaction(async (tx) => {
      const query = tx.getKysely<IdentityTables>();
      await insertAccount(query, account);
      await insertIdentity(query, account.id, who, now);
      if ((await findUser(query, who)) !== account.id) throw emailTaken();
      const { id: userId, email } = account;
      const known = { userId, email, isConfirmed: profile.isEmailVerified };
      await this.settings.events?.signedUp(query, known, address);
    });
    return account.id;
  }
}

/** A name that cannot be one here gives way to what stands before the @. */
function accountOf({ name, email = '' }: Profile): ProvidedAccountInput {
  const [local = ''] = email.split('@');
  if (name === undefined) return inputFrom(ProvidedAccountInput, { name: local, email });
  try {
    return inputFrom(ProvidedAccountInput, { name, email });
  } catch {
    return inputFrom(ProvidedAccountInput, { name: local, email });
  }
}
