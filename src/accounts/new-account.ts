import { randomUUID } from 'node:crypto';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { violates } from '../database/violations.js';
import type { SignUpInput } from './account.input.js';
import { emailTaken } from './account.refusals.js';
import { UserProgress } from './progress.entity.js';
import { User } from './user.entity.js';

type Person = Omit<SignUpInput, 'password'>;

export const newAccount = ({ name, email }: Person, passwordHash: string | null, now: Date) => ({
  ...{ id: randomUUID(), name, email, passwordHash },
  ...{ createdAt: now, updatedAt: now },
});

/** For a transaction: a profile without counters would be no account. */
export async function insertAccount(
  tx: SqlEntityManager,
  account: ReturnType<typeof newAccount> & { emailConfirmedAt?: Date | null },
): Promise<void> {
  tx.create(User, account);
  tx.create(UserProgress, { userId: account.id });
  await tx.flush();
}

export function refuseTakenEmail(error: unknown): never {
  throw violates(error, 'unique', 'users_email_unique') ? emailTaken() : error;
}
