import { randomUUID } from 'node:crypto';
import { type Kysely, type QueryExecutorProvider, sql } from 'kysely';
import { violates } from '../../database/violations.js';
import type { SignUpInput } from './account.input.js';
import { type AccountTables, whereEmail } from './account.queries.js';
import { emailTaken } from './account.refusals.js';
import { folded } from './rules.js';

type Person = Omit<SignUpInput, 'password'>;

export const newAccount = ({ name, email }: Person, passwordHash: string | null, now: Date) => ({
  ...{ id: randomUUID(), name, email, passwordHash },
  ...{ createdAt: now, updatedAt: now },
});

/** For a transaction: a profile without counters would be no account. Every value is bound, since one is a secret. */
export async function insertAccount(
  query: QueryExecutorProvider,
  account: ReturnType<typeof newAccount> & { emailConfirmedAt?: Date | null },
): Promise<void> {
  const { id, name, email, emailConfirmedAt = null, passwordHash, createdAt, updatedAt } = account;
  await claimEmail(query, id, email);
  await sql`
    insert into users (id, name, email, email_confirmed_at, password_hash, created_at, updated_at)
    values (${id}::uuid, ${name}, ${email}, ${emailConfirmedAt}::timestamptz, ${passwordHash},
      ${createdAt}::timestamptz, ${updatedAt}::timestamptz)`
    .execute(query)
    .catch(refuseTakenEmail);
  await sql`insert into user_progress (user_id) values (${id}::uuid)`.execute(query);
}

/**
 * For the transaction that gives an account this address. The database would refuse a second one too, but its server
 * writes the statement that it refuses into its log, with the address. Until the commit, others who want it wait.
 */
export async function claimEmail(query: QueryExecutorProvider, userId: string, email: string): Promise<void> {
  const address = folded(email);
  await sql`select pg_advisory_xact_lock(hashtextextended(${address}, ${EMAILS}))`.execute(query);
  const other = await (query as Kysely<AccountTables>)
    .selectFrom('users')
    .select('id')
    .where(whereEmail(address))
    .where('id', '<>', userId)
    .executeTakeFirst();
  if (other) throw emailTaken();
}

/** For a snapshot that is older than the claim. */
export function refuseTakenEmail(error: unknown): never {
  throw violates(error, 'unique', 'users_email_unique') ? emailTaken() : error;
}

/** Keeps these locks apart from others. */
const EMAILS = 7_783_548;
