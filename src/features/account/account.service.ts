import { type Kysely, type QueryExecutorProvider, sql } from 'kysely';
import type { Clock } from '../../base/clock.js';
import { Refusal, unauthenticated, unlessGone } from '../../base/errors.js';
import type { Passwords } from '../../base/passwords/passwords.js';
import { assertMay, type Caller } from '../../base/scopes.js';
import type { Database } from '../../database/database.js';
import { fixDays, recountAfterWeeks } from '../schedules/recount-runs.js';
import { dayReminderAt, replaceReminders, rescheduleReminders } from '../schedules/reminder.queries.js';
import type { AccountEvents, EmailChange } from './account.events.js';
import type {
  ChangeEmailInput,
  ChangePasswordInput,
  LogInInput,
  SignUpInput,
  UpdateProfileAndDaysInput,
  UpdateProfileInput,
} from './account.input.js';
import {
  type Account,
  type AccountTables,
  accounts,
  type Counters,
  credentialsOf,
  lockAccount,
  lockAddress,
  selectAccount,
  setUserDays,
  updateUser,
} from './account.queries.js';
import {
  accountSuspended,
  emailTaken,
  freshLogInNeeded,
  type PasswordField,
  passwordNeeded,
  saidAt,
  signUpClosed,
  wrongCredentials,
} from './account.refusals.js';
import type { Callers } from './callers.js';
import { CountedAccount } from './counted-account.js';
import { deleteAccountWithin, type Remember } from './deletion.js';
import type { LoginLimit } from './login-limit.js';
import { claimEmail, insertAccount, newAccount, refuseTakenEmail } from './new-account.js';
import { announceChange } from './progress.announcement.js';
import { insertRevocation, lockSession, raiseGeneration } from './revocation.queries.js';
import { folded } from './rules.js';
import type { Token, Tokens } from './tokens.js';
import type { User } from './user.entity.js';
import type { Zones } from './zones.js';

export interface SignedIn extends Token {
  user: Account;
}

/** A session that may begin, since its user has shown in another way than by a password who they are. */
export interface Proven {
  userId: string;
  sessionId: string;
  generation: number;
}

/** What either API can change. */
type ProfileChanges = UpdateProfileAndDaysInput & Pick<UpdateProfileInput, 'email' | 'newPassword'>;

export interface Deleted {
  deletedId: string;
  deletedAt: Date;
}

export interface AccountSettings {
  zones: Zones;
  signUp: 'open' | 'oidc' | 'closed';
  /** In milliseconds: how long the statements of a deletion may take together, since a history may be long. */
  deletionTime: number;
  remember?: Remember | undefined;
  /** Whether this session began with a log-in at a provider, minutes ago. */
  hasFreshLogIn?: (caller: Caller) => Promise<boolean>;
  /** Undefined where nobody is told. */
  events?: AccountEvents | undefined;
  /** Turns the feed of events on or off, in the transaction that has locked the account. */
  setFeed?: (query: Kysely<AccountTables>, userId: string, isOn: boolean) => Promise<void>;
}

export class AccountService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly passwords: Passwords,
    private readonly tokens: Tokens,
    private readonly callers: Callers,
    private readonly limit: LoginLimit,
    private readonly settings: AccountSettings,
  ) {}

  /** `address` is the client's IP address, which mails are counted by. */
  async signUp({ password, ...person }: SignUpInput, address: string): Promise<SignedIn> {
    if (this.settings.signUp !== 'open') throw signUpClosed(this.settings.signUp);
    const account = newAccount(person, await this.passwords.hash(password), this.clock.now());
    // Read before the commit: if the read failed afterwards, a sign-up that happened would be answered as an error.
    const user = await this.database.transaction(async (tx) => {
      await insertAccount(tx.getKysely(), account);
      const { id: userId, email } = account;
      await this.settings.events?.signedUp(tx.getKysely(), { userId, email, isConfirmed: false }, address);
      return this.read(tx.getKysely(), account.id);
    });
    return { ...this.tokens.issue(account.id), user };
  }

  /** `address` is the client's IP address, which attempts are counted by. */
  async logIn({ email, password }: LogInInput, address: string): Promise<SignedIn> {
    const found = await this.byPassword(email, password, address);
    const { tokenGeneration: generation, suspendedAt, ...user } = found;
    if (suspendedAt !== null) throw accountSuspended();
    return { ...this.tokens.issue(user.id, generation), user };
  }

  /**
   * The generation of a session that is about to begin. Read it before you check whether the session may begin: then
   * whatever ends all sessions meanwhile ends this one too.
   */
  async generationOf(query: Kysely<AccountTables>, userId: string): Promise<number> {
    const [person] = await query
      .selectFrom('users')
      .select(['token_generation as generation', 'suspended_at as suspendedAt'])
      .where('id', '=', userId)
      .execute();
    if (!person) throw unauthenticated();
    if (person.suspendedAt !== null) throw accountSuspended();
    return person.generation;
  }

  /** A session of an account whose owner has proven in another way who they are. */
  async signedIn({ userId, sessionId, generation }: Proven): Promise<SignedIn> {
    const user = await this.get(userId);
    return { ...this.tokens.issue(userId, generation, sessionId), user };
  }

  /** With the limits of a log-in: a stolen token must not help to guess the password. */
  async deleteMine(caller: Caller, password: string | undefined, address: string): Promise<Deleted> {
    const { userId } = caller;
    const isProven = await this.provePassword(caller, password, address, 'password');
    if (!isProven && !(await this.settings.hasFreshLogIn?.(caller))) throw freshLogInNeeded();
    const { deletionTime, remember } = this.settings;
    const deletedAt = this.clock.now();
    const tombstone = { id: userId, deletedAt };
    if (!(await deleteAccountWithin(deletionTime, this.database, tombstone, caller))) throw unauthenticated();
    this.callers.forget(userId);
    await remember?.(tombstone);
    return { deletedId: userId, deletedAt };
  }

  /** Ends this token, and no other. Returns when. */
  async signOut(userId: string, tokenId: string): Promise<Date> {
    const now = this.clock.now();
    const { rows } = await insertRevocation({ userId, id: tokenId, now }).execute(this.database.query());
    if (rows.length === 0) throw unauthenticated();
    this.callers.forget(userId);
    return now;
  }

  /** Ends every token that was issued until now, and begins a new session. API tokens stay. */
  async signOutEverywhere(caller: Caller): Promise<SignedIn> {
    const { userId } = caller;
    const user = await this.get(userId); // before: if it failed afterwards, what was done would be answered as an error
    const raised = await this.database.transaction(async (tx) => {
      const query = tx.getKysely<AccountTables>();
      await this.requireSession(query, caller);
      return raiseGeneration(query, userId);
    });
    if (!raised) throw unauthenticated();
    this.callers.forget(userId);
    return { ...this.tokens.issue(userId, raised.generation), user };
  }

  /** Refuses when the account is gone: a token may outlive its account. */
  async get(userId: string): Promise<Account> {
    const [account] = await this.database.run(accounts.byId, { id: userId });
    return existing(account);
  }

  /**
   * The account of counters that a statement has returned, if it has. Each property of its profile is read when it is
   * asked for: a profile read in that statement could be older than the counters, if it had to wait for them.
   */
  withCounters(id: string, counters?: Partial<Counters>): Account | Promise<Account> {
    return counters
      ? (new CountedAccount(id, counters, () => this.get(id)) as object as Account)
      : this.get(id);
  }

  /** Returns the accounts that exist, by id. */
  async getEach(userIds: string[]): Promise<Map<string, Account>> {
    const accounts = await selectAccount(this.database.query<AccountTables>())
      .where(sql<boolean>`users.id = any(${userIds}::uuid[])`)
      .execute();
    return new Map(accounts.map((account) => [account.id, account]));
  }

  async changePassword(
    caller: Caller,
    { currentPassword, newPassword }: ChangePasswordInput,
    address: string,
  ): Promise<Account> {
    await this.provePassword(caller, currentPassword ?? undefined, address, 'currentPassword');
    return this.updateProfile(caller, { newPassword }, address);
  }

  async changeEmail(
    caller: Caller,
    { currentPassword, newEmail }: ChangeEmailInput,
    address: string,
  ): Promise<Account> {
    await this.provePassword(caller, currentPassword ?? undefined, address, 'currentPassword');
    return this.updateProfile(caller, { email: newEmail }, address).catch((error: unknown) => {
      const isTaken = error instanceof Refusal && error.reason === 'EMAIL_TAKEN';
      throw isTaken ? emailTaken('newEmail') : error;
    });
  }

  /** With the limits of a log-in: a stolen token must not help to guess it. False where the account has none. */
  private async provePassword(
    { userId }: Caller,
    password: string | undefined,
    address: string,
    field: PasswordField,
  ): Promise<boolean> {
    const { email } = await this.get(userId);
    if (!(await this.hasPassword(userId))) return false;
    if (password === undefined) throw passwordNeeded(field);
    const { id } = await this.byPassword(folded(email), password, address).catch(saidAt(field));
    if (id !== userId) throw wrongCredentials(); // the address has changed hands meanwhile
    return true;
  }

  /** Tokens stay valid when the password changes: the spec promises them 30 days. */
  async updateProfile(caller: Caller, changes: ProfileChanges, address: string): Promise<Account> {
    const { userId, scopes } = caller;
    const { newPassword, email, timeZone, dayStartsAt, weekStartsOn, dayReminder, eventFeed, ...rest } =
      changes;
    const decidesWhoMayLogIn = newPassword !== undefined || email !== undefined;
    // The feed is no part of the profile that it tells of.
    const isEdit = eventFeed === undefined || isAnythingIn({ ...changes, eventFeed: undefined });
    const areDaysGiven = timeZone !== undefined || dayStartsAt !== undefined || weekStartsOn !== undefined;
    if (decidesWhoMayLogIn) assertMay(scopes, 'SESSION');
    if (areDaysGiven) await this.settings.zones.require(timeZone ?? 'UTC'); // zones are read before the transaction, which asks for them
    const passwordHash = newPassword === undefined ? undefined : await this.passwords.hash(newPassword);
    const change = () =>
      this.database.transaction(async (tx) => {
        if (decidesWhoMayLogIn) await this.requireSession(tx.getKysely(), caller);
        const before = await lockAddress(tx.getKysely(), userId);
        if (!before) throw unauthenticated();
        if (email !== undefined) await claimEmail(tx.getKysely(), userId, email);
        const updatedAt = this.clock.now();
        if (isEdit)
          await updateUser(tx.getKysely(), userId, { ...rest, email, passwordHash, updatedAt }).catch(
            refuseTakenEmail,
          );
        const areDaysOther =
          areDaysGiven &&
          (await this.setDays(tx.getKysely(), userId, { timeZone, dayStartsAt, weekStartsOn }));
        if (dayReminder !== undefined) {
          const reminders = dayReminder === null ? [] : [dayReminderAt(dayReminder)];
          await replaceReminders(tx.getKysely(), { userId, taskId: null }, reminders, this.clock.now());
        }
        if (areDaysOther) await rescheduleReminders(tx.getKysely(), userId, this.clock.now());
        const change = {
          from: before,
          to: email ?? before.email,
          address,
          isNewPassword: passwordHash !== undefined,
        };
        await this.publish(tx.getKysely(), change);
        if (isEdit)
          await announceChange(tx.getKysely(), {
            ...{ kind: 'PROFILE_CHANGED', userId, at: updatedAt },
            ids: areDaysGiven ? { changedAll: true } : {},
          });
        if (eventFeed !== undefined) await this.settings.setFeed?.(tx.getKysely(), userId, eventFeed);
        return this.read(tx.getKysely(), userId);
      });
    return areDaysGiven ? this.database.changeOfWholeAccount(userId, change) : change();
  }

  /** Of a new password the address hears that the account had before. */
  private async publish(
    query: QueryExecutorProvider,
    { isNewPassword, ...change }: EmailChange & { isNewPassword: boolean },
  ): Promise<void> {
    const { events } = this.settings;
    if (isNewPassword) await events?.passwordChanged(query, change.from);
    if (folded(change.from.email) !== folded(change.to)) await events?.emailChanged(query, change);
  }

  /**
   * If the weeks change, all that goes by the week is counted anew. Returns whether the days have changed.
   */
  private async setDays(
    query: Kysely<AccountTables>,
    userId: string,
    {
      timeZone,
      dayStartsAt,
      weekStartsOn,
    }: Pick<UpdateProfileAndDaysInput, 'timeZone' | 'dayStartsAt' | 'weekStartsOn'>,
  ): Promise<boolean> {
    await this.lock(query, userId);
    const before = await this.read(query, userId);
    if (timeZone !== undefined || dayStartsAt !== undefined) {
      await fixDays(query, userId, (zone) => this.settings.zones.has(zone));
      await setUserDays(query, userId, { timeZone, dayStartsAt });
    }
    if (weekStartsOn !== undefined)
      await query
        .updateTable('user_progress')
        .set({ week_starts_on: weekStartsOn })
        .where('user_id', '=', userId)
        .execute();
    const after = await this.read(query, userId);
    const isOther = (part: (account: Account) => unknown) => part(before) !== part(after);
    const days = isOther((account) => account.timeZone ?? 'UTC') || isOther((account) => account.dayStartsAt);
    if (isOther((account) => account.weekStartsOn ?? 'MONDAY')) await recountAfterWeeks(query, userId);
    return days;
  }

  /** Runs `work` for the user of a valid token. If it finds nothing, checks whether the account itself is gone. */
  unlessGone<T>(userId: string, work: () => Promise<T>): Promise<T> {
    return unlessGone(work, () => this.assertExists(userId));
  }

  /** Call it when nothing of a user's was found: the account itself may be gone. */
  async assertExists(userId: string): Promise<void> {
    const found = await this.database.run(accounts.exists, { id: userId });
    if (found.length === 0) throw unauthenticated();
  }

  /** Refuses when the account is gone. For a transaction; see `lockAccount`. */
  async lock(query: Kysely<AccountTables>, userId: string): Promise<void> {
    if (!(await lockAccount(query, userId))) throw unauthenticated();
  }

  /**
   * For the transaction that changes who may come in: the token may have been taken back since the request began, or by
   * another process, which this one hears of later. Call it before `lock`.
   */
  async requireSession(query: Kysely<AccountTables>, caller: Caller): Promise<void> {
    const { rows } = await lockSession(caller).execute(query);
    if (rows.length === 0) throw unauthenticated();
  }

  private async hasPassword(userId: string): Promise<boolean> {
    const [found] = await this.database
      .query<AccountTables>()
      .selectFrom('users')
      .select(sql<boolean>`password_hash is not null`.as('has'))
      .where('id', '=', userId)
      .execute();
    return found?.has ?? false;
  }

  private async byPassword(email: string, password: string, address: string): Promise<WithGeneration> {
    await this.limit.count(email, address);
    const user = await this.findByCredentials(email, password).catch(async (error: unknown) => {
      await this.limit.takeBack(email, address).catch(() => {});
      throw error;
    });
    if (!user) throw wrongCredentials();
    await this.limit.forgive(email, address);
    return user;
  }

  /** The counters are asked for by their user, as all that a user owns is (test/database/shards.long.test.ts). */
  private async findByCredentials(email: string, password: string): Promise<WithGeneration | null> {
    const found = await credentialsOf(this.database.query<AccountTables>(), email);
    if (found) this.database.noteAccount(found.id);
    const isMatch = await this.passwords.matches(password, found?.passwordHash);
    if (!found || !isMatch) return null;
    const [account] = await this.database.run(accounts.byId, { id: found.id });
    const { tokenGeneration, suspendedAt } = found;
    return account ? { ...account, tokenGeneration, suspendedAt } : null;
  }

  private async read(query: Kysely<AccountTables>, userId: string): Promise<Account> {
    return existing(await selectAccount(query).where('users.id', '=', userId).executeTakeFirst());
  }
}

const isAnythingIn = (changes: object) => Object.values(changes).some((each) => each !== undefined);

type WithGeneration = Account & Pick<User, 'tokenGeneration' | 'suspendedAt'>;

function existing(account: Account | undefined): Account {
  if (!account) throw unauthenticated();
  return account;
}
