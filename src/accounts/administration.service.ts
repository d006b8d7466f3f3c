import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import type { SignUpInput } from './account.input.js';
import { type AccountTables, whereEmail } from './account.queries.js';
import { noAccount } from './account.refusals.js';
import { deleteAccount, type Remember, type Tombstone } from './deletion.js';
import { insertAccount, newAccount, refuseTakenEmail } from './new-account.js';
import type { Passwords } from './passwords.js';

/** Rows read by one statement: a list of a million accounts takes no more memory than one of these. */
const CHUNK = 1_000;

/** In bytes: sixteen characters, which nobody guesses. */
const PASSWORD_SIZE = 12;

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** An account as its operator sees it. */
export interface ListedAccount {
  id: string;
  email: string;
  name: string;
  createdAt: Date;
  lastActiveOn: string | null;
}

/** What the operator does with accounts of others. */
export class AdministrationService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly passwords: Passwords,
    private readonly remember: Remember = async () => {},
  ) {}

  /** All accounts, by id, in chunks. */
  async *list(): AsyncGenerator<ListedAccount[]> {
    for (let after = FIRST_ID; ; ) {
      const found = await this.query()
        .selectFrom('users')
        .innerJoin('user_progress', 'user_progress.user_id', 'users.id')
        .select(['users.id', 'users.email', 'users.name', 'users.created_at as createdAt'])
        .select('user_progress.last_active_on as lastActiveOn')
        .where('users.id', '>', after)
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
    await this.database.transaction((tx) => insertAccount(tx, account)).catch(refuseTakenEmail);
    return password;
  }

  /** Returns the new password. Tokens stay valid, as when the user changes it. */
  async resetPassword(email: string): Promise<string> {
    const password = newPassword();
    const { numUpdatedRows } = await this.query()
      .updateTable('users')
      .set({ password_hash: await this.passwords.hash(password), updated_at: this.clock.now() })
      .where(whereEmail(email))
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw noAccount();
    return password;
  }

  /** Returns when the account was deleted. */
  async delete(email: string): Promise<Tombstone> {
    const found = await this.query()
      .selectFrom('users')
      .select('id')
      .where(whereEmail(email))
      .executeTakeFirst();
    const tombstone =
      found && (await deleteAccount(this.database, { id: found.id, deletedAt: this.clock.now() }));
    if (!tombstone) throw noAccount();
    await this.remember(tombstone);
    return tombstone;
  }

  private query() {
    return this.database.query<AccountTables>();
  }
}

const newPassword = () => randomBytes(PASSWORD_SIZE).toString('base64url');
