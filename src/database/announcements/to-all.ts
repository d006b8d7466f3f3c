import { type RawBuilder, sql } from 'kysely';
import { CHANNEL } from '../backend.js';

/**
 * An expression like `announce`, but without a lease: for what every process has to know, of every user, and what
 * happens rarely.
 */
export const announceToAll = (topic: string, userId: RawBuilder<unknown>, event: RawBuilder<unknown>) => sql`
    pg_notify(
      ${sql.lit(CHANNEL)},
      json_build_object('topic', ${sql.lit(topic)}, 'userId', ${userId}, 'event', ${event})::text
    )`;

/** Hears what is announced to all. */
export interface Follower {
  topic: string;
  notify(userId: string, event: unknown): void;
  /** Listening was interrupted, or goes on after an interruption: announcements may have been missed. */
  interrupt(): void;
}

/** In milliseconds: more than the longest interval between two probes of the listening connection. */
const LATE = 11_500;

/** In milliseconds: for so long after a question the next answer is to be a new one. */
const RELIED_ON = 2_000;

/** What is announced to all, and until when nothing of it was missed. */
export class ToAll {
  private readonly followers = new Set<Follower>();
  private lastHeard = Number.NEGATIVE_INFINITY;
  private interruptions = 0;
  private askedAt = Number.NEGATIVE_INFINITY;

  /** Returns a function that ends it. */
  follow(follower: Follower): () => void {
    this.followers.add(follower);
    return () => void this.followers.delete(follower);
  }

  /** On the steady clock: until then nothing was missed since `since` became what it is. */
  askUntil(): number {
    this.askedAt = performance.now();
    return this.lastHeard;
  }

  get isReliedOn(): boolean {
    return performance.now() - this.askedAt < RELIED_ON;
  }

  /** Whether nothing was missed until a moment ago. */
  get isHeard(): boolean {
    return performance.now() - this.lastHeard < LATE;
  }

  /** Another number after each interruption; undefined during one. */
  get since(): number | undefined {
    return this.lastHeard === Number.NEGATIVE_INFINITY ? undefined : this.interruptions;
  }

  heard(forGood = false): void {
    this.lastHeard = forGood ? Number.POSITIVE_INFINITY : performance.now();
  }

  lost(): void {
    this.lastHeard = Number.NEGATIVE_INFINITY;
    this.interruptions += 1;
    this.interrupt();
  }

  interrupt(): void {
    for (const follower of this.followers) follower.interrupt();
  }

  notify({ topic, userId, event }: { topic: string; userId: string; event: unknown }): void {
    for (const follower of this.followers) if (follower.topic === topic) follower.notify(userId, event);
  }
}
