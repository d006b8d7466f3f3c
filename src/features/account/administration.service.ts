import { randomBytes } from 'node:crypto';
import { type Kysely, type QueryExecutorProvider, sql } from 'kysely';
import type { Clock } from '../../base/clock.js';
import type { Passwords } from '../../base/passwords/passwords.js';
import type { Database } from '../../database/database.js';
import type { SignUpInput } from './account.input.js';
import { type AccountTables, whereEmail } from './account.queries.js';
import { noAccount } from './account.refusals.js';
import { type ApiTokenTables, deleteApiToken, listOf } from './api-token.queries.js';
import { deleteAccount, type Remember, type Tombstone } from './deletion.js';
import { insertAccount, newAccount } from './new-account.js';
import { announceChange } from './progress.announcement.js';
import { raiseGeneration, setSuspended } from './revocation.queries.js';

/** Rows read by one statement: a list of a million accounts takes no more memory than one of these. */
const CHUNK = 1_000;

/** Sixteen characters, which nobody guesses. */
const PASSWORD_BYTES = 12;

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** An account as its operator sees it. */
export interface ListedAccount {
  id: string;
  email: string;
  name: string;
  createdAt: Date;
  lastActiveOn: string | null;
  suspendedAt: Date | null;
}

/** What the operator does with accounts of others. */
export class AdministrationService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly passwords: Passwords,
    private readonly remember: Remember = async () => {},
  ) {}

  /** All accounts, by id, in chunks; with `filter` those that have it in their name or address, in whatever case. */
  async *list(filter = ''): AsyncGenerator<ListedAccount[]> {
    const holds = sql<boolean>`position(lower(${filter}::text) in lower(users.email || ' ' || users.name)) > 0`;
    for (let after = FIRST_ID; ; ) {
      const found = await this.query()
        .selectFrom('users')
        .innerJoin('user_progress', 'user_progress.user_id', 'users.id')
        .select(['users.id', 'users.email', 'users.name', 'users.created_at as createdAt'])
        .select(['user_progress.last_active_on as lastActiveOn', 'users.suspended_at as suspendedAt'])
        .where('users.id', '>', after)
        .$if(filter !== '', (query) => query.where(holds))
        .orderBy('users.id')
        .limit(CHUNK)
        .execute();
      if (found.length > 0) yield found;
      after = found.at(-1)?.id ?? after;
      if (found.length < CHUNK) return;
    }
  }

  /** Also where sign-up is closed. Returns the password, which is stored nowhere. */
  async create(person: Omit<SignUpInput, 'password'>): Promise<string> {
    const password = newPassword();
    const account = newAccount(person, await this.passwords.hash(password), this.clock.now());
    await this.database.transaction((tx) => insertAccount(tx.getKysely(), account));
    return password;
  }

  /** Returns the new password. All sessions, API tokens and reset links end: who has them may be why it is reset. */
  async resetPassword(email: string): Promise<string> {
    const password = newPassword();
    const hash = await this.passwords.hash(password);
    await this.endSessions(email, async (query, userId, now) => {
      await query
        .updateTable('users')
        .set({ password_hash: hash, updated_at: now })
        .where('id', '=', userId)
        .execute();
      await deleteTokensAndLinks(query, userId);
      await announceChange(query, { kind: 'PROFILE_CHANGED', userId, at: now });
    });
    return password;
  }

  /** Ends all sessions. Returns how many API tokens there are, which stay. */
  signOut(email: string): Promise<number> {
    return this.endSessions(email, async (query, userId) => (await listOf(query, userId)).length);
  }

  /**
   * Nobody comes in by it, and nothing of it rings, until it is resumed; nothing is lost. False if it was so already.
   */
  suspend(email: string): Promise<boolean> {
    return this.setSuspended(email, this.clock.now());
  }

  /** What was good before is good again. False if the account was not suspended. */
  resume(email: string): Promise<boolean> {
    return this.setSuspended(email, null);
  }

  private setSuspended(email: string, since: Date | null): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const query: Query = tx.getKysely();
      const userId = await lockedIdOf(query, email);
      const [person] = await query
        .selectFrom('users')
        .select('suspended_at as suspendedAt')
        .where('id', '=', userId)
        .execute();
      if (!person) throw noAccount(email);
      if ((person.suspendedAt === null) === (since === null)) return false;
      await setSuspended(userId, since).execute(query);
      return true;
    });
  }

  /** Returns when the account was deleted. */
  async delete(email: string): Promise<Tombstone> {
    const id = await idOf(this.query(), email);
    const tombstone = { id, deletedAt: this.clock.now() };
    if (!(await deleteAccount(this.database, tombstone))) throw noAccount(email);
    await this.remember(tombstone);
    return tombstone;
  }

  private endSessions<T>(
    email: string,
    andThen: (query: Query, userId: string, now: Date) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async (tx) => {
      const query: Query = tx.getKysely();
      const [userId, now] = [await lockedIdOf(query, email), this.clock.now()];
      if (!(await raiseGeneration(query, userId))) throw noAccount(email);
      return andThen(query, userId, now);
    });
  }

  private query() {
    return this.database.query<AccountTables & ApiTokenTables>();
  }
}

type Query = Kysely<AccountTables & ApiTokenTables>;

async function deleteTokensAndLinks(query: Query, userId: string): Promise<void> {
  for (const { id } of await listOf(query, userId)) await deleteApiToken(userId, id).execute(query);
  await sql`delete from account_links where user_id = ${userId} and purpose = 'RESET'`.execute(query);
}

/** Ends all sessions, API tokens and reset links, in the transaction that says why, under the lock of the user. */
export async function endAllAccess(query: QueryExecutorProvider, userId: string): Promise<void> {
  await raiseGeneration(query, userId);
  await deleteTokensAndLinks(query as Query, userId);
}

async function idOf(query: Query, email: string): Promise<string> {
  const found = await query.selectFrom('users').select('id').where(whereEmail(email)).executeTakeFirst();
  if (!found) throw noAccount(email);
  return found.id;
}

async function lockedIdOf(query: Query, email: string): Promise<string> {
  const id = await idOf(query, email);
  await query.selectFrom('users').select('id').where('id', '=', id).forNoKeyUpdate().execute();
  return id;
}

const newPassword = () => randomBytes(PASSWORD_BYTES).toString('base64url');
