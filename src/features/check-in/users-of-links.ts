import { digestOf } from '../account/secret.js';

const MOST_REMEMBERED = 10_000;

/** Whose the addresses are that were found lately: admission asks before the database can. */
export class UsersOfLinks {
  private readonly userOfDigest = new Map<string, string>();

  of(secret: string): string | undefined {
    return this.userOfDigest.get(digestOf(secret));
  }

  remember(secret: string, userId: string): void {
    const digest = digestOf(secret);
    this.userOfDigest.delete(digest);
    this.userOfDigest.set(digest, userId);
    const [oldest] = this.userOfDigest.keys();
    if (this.userOfDigest.size > MOST_REMEMBERED && oldest !== undefined) this.userOfDigest.delete(oldest);
  }
}
