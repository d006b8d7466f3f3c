import type { QueryExecutorProvider } from 'kysely';
import type { Clock } from '../../base/clock.js';
import { networkOf } from '../../base/request.js';
import type { Database } from '../../database/database.js';
import { AttemptCounts, keyOf } from '../account/attempt-counts.js';
import type { MailKind } from '../mail/mail.js';

/** How many mails of one kind may be asked for, in an hour. */
const MOST = { mostOfAddress: 20, mostOfAccount: 3, window: 3_600 };

interface Asked {
  kind: MailKind;
  /** What stands for the account, whether there is one or not. */
  account: string;
  /** The IP address that it was asked from. */
  address: string;
}

/** Limits the mails that somebody can make us send, across all processes. */
export class MailLimit {
  private readonly counts: AttemptCounts;

  constructor(database: Database, clock: Clock) {
    this.counts = new AttemptCounts(database, clock);
  }

  /** Counts a mail, in a transaction, and returns whether it may be sent. */
  async allows(query: QueryExecutorProvider, { kind, account, address }: Asked): Promise<boolean> {
    const ofAddress = keyOf('mail of address', kind, networkOf(address));
    const ofAccount = keyOf('mail of account', kind, account);
    const verdict = await this.counts.count({ ofAddress, ofAccount, ...MOST }, query);
    return verdict.isAddressFine && verdict.isAccountFine;
  }

  /** Outside of transactions. */
  sweep(): Promise<void> {
    return this.counts.sweepInTurn();
  }
}
