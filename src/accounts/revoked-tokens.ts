import type { Caller } from '../request.js';
import type { Revoked } from './revocation.queries.js';

type Token = Pick<Caller, 'userId' | 'tokenId' | 'generation'>;

interface Watcher {
  token: Token;
  end: () => void;
}

/**
 * What was taken back in the last days, in memory, oldest first. The numbers are seconds: until when each is
 * remembered, since by then the tokens have ended by themselves.
 */
export class RevokedTokens {
  private readonly ended = new Map<string, number>();
  private readonly generations = new Map<string, { generation: number; until: number }>();
  private readonly gone = new Map<string, number>();
  /** Connections that live as long as their token, by user. */
  private readonly watchers = new Map<string, Set<Watcher>>();

  has({ userId, tokenId, generation }: Token): boolean {
    return (
      this.ended.has(tokenId) ||
      generation < (this.generations.get(userId)?.generation ?? 0) ||
      this.gone.has(userId)
    );
  }

  add(userId: string, revoked: Revoked, until: number): void {
    if ('id' in revoked) this.ended.set(revoked.id, until);
    else if ('gone' in revoked) this.gone.set(userId, until);
    else if (revoked.generation > (this.generations.get(userId)?.generation ?? 0))
      this.generations.set(userId, { generation: revoked.generation, until });
    for (const watcher of this.watchers.get(userId) ?? []) {
      if (!this.has(watcher.token)) continue;
      this.forget(watcher);
      watcher.end();
    }
  }

  /** Calls `end` when the token is revoked, soon if it is by now. Returns a function that cancels it. */
  watch(token: Token, end: () => void): () => void {
    if (this.has(token)) {
      setImmediate(end);
      return () => {};
    }
    const watcher = { token, end };
    const others = this.watchers.get(token.userId) ?? new Set();
    this.watchers.set(token.userId, others.add(watcher));
    return () => this.forget(watcher);
  }

  forgetUntil(now: number): void {
    for (const each of [this.ended, this.gone]) {
      for (const [name, until] of each) if (until <= now) each.delete(name);
    }
    for (const [userId, { until }] of this.generations) if (until <= now) this.generations.delete(userId);
  }

  private forget(watcher: Watcher): void {
    const { userId } = watcher.token;
    const others = this.watchers.get(userId);
    others?.delete(watcher);
    if (others?.size === 0) this.watchers.delete(userId);
  }
}
