import type { Kysely } from 'kysely';
import type { Clock } from '../../base/clock.js';
import type { Passwords } from '../../base/passwords/passwords.js';
import type { Caller } from '../../base/scopes.js';
import { isLongerThan } from '../../base/validation.js';
import type { Database } from '../../database/database.js';
import type { Account } from '../account/account.queries.js';
import type { AccountService } from '../account/account.service.js';
import { endAllAccess } from '../account/administration.service.js';
import type { Callers } from '../account/callers.js';
import { accountLimits } from '../account/limits.js';
import type { LoginLimit } from '../account/login-limit.js';
import { claimEmail } from '../account/new-account.js';
import { announceChange } from '../account/progress.announcement.js';
import { folded } from '../account/rules.js';
import { digestOf } from '../account/secret.js';
import type { LinkPurpose } from './account-link.entity.js';
import {
  deleteLinks,
  deleteUndosSince,
  type FoundLink,
  findLink,
  type KnownPerson,
  type LinkTables,
  lockPerson,
  takeLink,
} from './account-link.queries.js';
import type { AccountMails } from './account-mails.js';
import { deleteIdentitiesBefore, deleteLeftBehind, type IdentityTables } from './identity.queries.js';
import type { LinkInput, RequestPasswordResetInput, ResetPasswordInput } from './sign-in.input.js';
import { confirmedAlready, mailUnavailable, noConfirmation, resetInvalid } from './sign-in.refusals.js';

/** In place of an e-mail address, where attempts to guess a link are counted. */
const LINKS = 'links into accounts';

/** What was added so long before the address was changed, or later, may come from whoever changed it. */
const UNTRUSTED_MS = 72 * 60 * 60 * 1_000;

type Query = Kysely<IdentityTables>;

/** The ways back into an account, and those that prove an address. */
export class RecoveryService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly accounts: AccountService,
    private readonly passwords: Passwords,
    private readonly callers: Callers,
    private readonly limit: LoginLimit,
    /** Undefined where no mail is sent. */
    private readonly mails: AccountMails | undefined,
  ) {}

  /** Answers the same, in the same time, whether there is such an account or not. */
  async requestReset({ email }: RequestPasswordResetInput, address: string): Promise<void> {
    if (!this.mails) throw mailUnavailable();
    if (isLongerThan(email, accountLimits.email)) return; // no account can have that address, and rows are not filled with it
    await this.mails.askToReset(email, address);
  }

  /**
   * Logs nobody in. Returns the address of the account. Until the address was proven, somebody else may have made the
   * account with it, and connected a log-in of their own.
   */
  async resetPassword({ token, newPassword }: ResetPasswordInput, address: string): Promise<string> {
    const found = await this.find('RESET', token, address);
    const hash = await this.passwords.hash(newPassword);
    const email = await this.use(found, async (query, now, person) => {
      const isProven = found.email !== null;
      if (found.email !== null && folded(found.email) !== folded(person.email)) throw resetInvalid();
      const emailConfirmedAt = person.emailConfirmedAt ?? (isProven ? now : null);
      if (person.emailConfirmedAt) await deleteIdentitiesBefore(query, found.userId, person.emailConfirmedAt);
      else if (isProven) await deleteLeftBehind(query, found.userId, new Date(0));
      await query
        .updateTable('users')
        .set({ password_hash: hash, email_confirmed_at: emailConfirmedAt, updated_at: now })
        .where('id', '=', found.userId)
        .execute();
      await endAllAccess(query, found.userId);
      await announceChange(query, { kind: 'PROFILE_CHANGED', userId: found.userId, at: now });
      const known = { userId: found.userId, email: person.email, isConfirmed: emailConfirmedAt !== null };
      await this.mails?.passwordChanged(query, known);
      return person.email;
    });
    this.callers.forget(found.userId);
    return email;
  }

  /**
   * Needs no session: the link may be opened on another device. It stays until it would have expired, to tell whoever
   * opens it again that all is well.
   */
  async confirmEmail({ token }: LinkInput, address: string): Promise<Account> {
    const { userId, email } = await this.find('CONFIRM', token, address);
    const now = this.clock.now();
    await this.database.transaction(async (tx) => {
      const query = tx.getKysely<IdentityTables>();
      const person = await lockPerson(query, userId);
      if (!person || folded(person.email) !== folded(email ?? '')) throw resetInvalid();
      if (person.emailConfirmedAt !== null) throw confirmedAlready();
      await query.updateTable('users').set({ email_confirmed_at: now }).where('id', '=', userId).execute();
      await announceChange(query, { kind: 'PROFILE_CHANGED', userId, at: now });
    });
    return this.accounts.get(userId);
  }

  async requestConfirmation({ userId }: Caller, address: string): Promise<void> {
    const { mails } = this;
    if (!mails) throw noConfirmation();
    const { email, emailConfirmedAt } = await this.accounts.get(userId);
    if (emailConfirmedAt !== null) return;
    await this.database.transaction((tx) => mails.askToConfirm(tx.getKysely(), { userId, email }, address));
  }

  /**
   * Whoever changed the address may know the password, and may have links of their own: none of that opens the account
   * any more, so that the owner chooses a new password next. Returns the address as it was.
   */
  async undoEmailChange({ token }: LinkInput, address: string): Promise<string> {
    const found = await this.find('UNDO_EMAIL', token, address);
    const { userId, email } = found;
    if (email === null) throw resetInvalid();
    await this.use(found, async (query, now) => {
      await claimEmail(query, userId, email);
      await query
        .updateTable('users')
        .set({ email, email_confirmed_at: now, password_hash: null, updated_at: now })
        .where('id', '=', userId)
        .execute();
      await deleteLinks(query, userId, ['CONFIRM']);
      await deleteUndosSince(query, found);
      const since = new Date(found.createdAt.getTime() - UNTRUSTED_MS);
      await deleteLeftBehind(query, userId, since);
      await endAllAccess(query, userId);
      await announceChange(query, { kind: 'PROFILE_CHANGED', userId, at: now });
      await this.mails?.addressUndone(query, { userId, email });
    });
    this.callers.forget(userId);
    return email;
  }

  /**
   * Counts what is not found like a failed log-in. What is found is good however many others have guessed: nobody keeps
   * those of the same network from getting back in.
   */
  private async find(purpose: LinkPurpose, secret: string, address: string): Promise<FoundLink> {
    const asked = { purpose, digest: digestOf(secret), now: this.clock.now() };
    const found = await findLink(this.database.query<LinkTables>(), asked);
    if (found) return found;
    await this.limit.count(LINKS, address);
    throw resetInvalid();
  }

  /** Uses the link up, together with what it is for. */
  private use<T>(
    found: FoundLink,
    work: (query: Query, now: Date, person: KnownPerson) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async (tx) => {
      const query = tx.getKysely<IdentityTables>();
      const person = await lockPerson(query, found.userId);
      if (!person || !(await takeLink(query, found))) throw resetInvalid();
      return work(query, this.clock.now(), person);
    });
  }
}
