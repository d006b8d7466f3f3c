import type { QueryExecutorProvider } from 'kysely';

/** A person's address, and whether it is known to be theirs. */
export interface KnownAddress {
  userId: string;
  email: string;
  isConfirmed: boolean;
}

export interface EmailChange {
  from: KnownAddress;
  to: string;
  /** The IP address that it was asked from. */
  address: string;
}

/** What else is done, in the same transaction, when an account changes. */
export interface AccountEvents {
  signedUp(query: QueryExecutorProvider, account: KnownAddress, address: string): Promise<void>;
  emailChanged(query: QueryExecutorProvider, change: EmailChange): Promise<void>;
  passwordChanged(query: QueryExecutorProvider, account: KnownAddress): Promise<void>;
}
