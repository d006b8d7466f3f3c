import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { inBackground } from '../../base/request.js';
import { CHANNEL, type Listen, type StopListening } from '../backend.js';
import type { Columns } from '../columns.js';
import { inTime } from '../outcome.js';
import type { Listener } from './listener.entity.js';

/**
 * An expression like `announce`, but without a lease: for what every process has to know, of every user, and what
 * happens rarely.
 */
export const announceToAll = (topic: string, userId: RawBuilder<unknown>, event: RawBuilder<unknown>) => sql`
    pg_notify(
      ${sql.lit(CHANNEL)},
      json_build_object('topic', ${sql.lit(topic)}, 'userId', ${userId}, 'event', ${event})::text
    )`;

/**
 * An expression that announces a change to a user. Put it into the statement or transaction that makes the change: it
 * is delivered on commit, and dropped on rollback. It announces nothing unless some process listens for this user,
 * because commits that notify are serialised by PostgreSQL. `event` is a JSON object; qualify column names with their
 * table.
 */
export const announce = (topic: string, userId: RawBuilder<unknown>, event: RawBuilder<unknown>) => sql`(
    select ${announceToAll(topic, userId, event)}
    where ${isListenedTo(userId)}
  )`;

/** Whether some process listens for a user. */
export const isListenedTo = (userId: RawBuilder<unknown>) =>
  sql<boolean>`exists (select from listeners where listeners.user_id = ${userId} and until > now())`;

/** A condition for statements that change many users: only those for whom a process listens. */
export const hasListener = (userId: RawBuilder<unknown>) =>
  sql<boolean>`${userId} in (select user_id from listeners where until > now())`;

export interface Subscriber {
  topic: string;
  notify(event: unknown): void;
  /** Announcements may have been missed; no more will be delivered. */
  interrupt(): void;
}

interface Follower {
  topic: string;
  notify: (userId: string) => void;
}

interface Announced {
  topic: string;
  userId: string;
  event: unknown;
}

/** A process that dies without a word is announced to until its lease ends. A living one renews its leases. */
const LEASE_MINUTES = 60;
const RENEWAL_MINUTES = 5;

/** Users per statement, and subscribers that are interrupted per turn of the event loop. */
const USERS_PER_STATEMENT = 500;
const INTERRUPTED_PER_TURN = 20;

/**
 * Receives the announcements of all processes on this database, and passes them to the subscribers in this process.
 */
export class Announcements {
  private readonly followers = new Set<Follower>();
  private isListening = false;
  private readonly processId = randomUUID();
  private readonly subscribers = new Map<string, Set<Subscriber>>();
  /** Users for whom this process has a row in `listeners`. */
  private readonly leased = new Set<string>();
  /** Users whose row in `listeners` has to be written or deleted. */
  private due = new Set<string>();
  private nextWrite: Promise<void> | undefined;
  private lastWrite = Promise.resolve();
  private listening: Promise<StopListening> | undefined;

  constructor(
    private readonly listen: Listen,
    private readonly query: () => Kysely<{ listeners: Columns<Listener> }>,
  ) {}

  /** Resolves once no later announcement can be missed. Returns a function that ends the subscription. */
  async subscribe(userId: string, subscriber: Subscriber): Promise<() => void> {
    await this.open();
    const subscribers = this.subscribers.get(userId) ?? new Set();
    this.subscribers.set(userId, subscribers.add(subscriber));
    const unsubscribe = () => {
      subscribers.delete(subscriber);
      if (subscribers.size > 0 || this.subscribers.get(userId) !== subscribers) return;
      this.subscribers.delete(userId);
      this.updateLease(userId).catch(() => {});
    };
    return this.updateLease(userId).then(
      () => unsubscribe,
      (error) => {
        unsubscribe();
        throw error;
      },
    );
  }

  /** Hears what is announced to all of any user, once it is open. Returns a function that ends it. */
  follow(topic: string, notify: (userId: string) => void): () => void {
    const follower = { topic, notify };
    this.followers.add(follower);
    return () => void this.followers.delete(follower);
  }

  /** Whether announcements are heard at the moment. */
  get isHeard(): boolean {
    return this.isListening;
  }

  /** Starts to listen, once. A lost connection is re-established automatically. */
  async open(): Promise<void> {
    this.listening ??= inBackground(() => this.begin()).catch((error: unknown) => {
      this.listening = undefined; // the next caller tries again
      throw error;
    });
    await this.listening;
  }

  async close(): Promise<void> {
    const stop = await this.listening?.catch(() => undefined);
    await stop?.();
  }

  private async begin(): Promise<StopListening> {
    const stop = await this.listen({
      receive: (text) => this.receive(text),
      lost: () => {
        this.isListening = false;
      },
      reconnected: () => {
        this.isListening = true;
        void this.interruptAll();
      },
    });
    this.isListening = true;
    const renewal = setInterval(() => this.renew().catch(() => {}), RENEWAL_MINUTES * 60_000);
    renewal.unref();
    return async () => {
      clearInterval(renewal);
      await this.query()
        .deleteFrom('listeners')
        .where('process_id', '=', this.processId)
        .execute()
        .catch(() => {}); // the lease ends anyway
      await stop();
    };
  }

  private receive(text: string): void {
    const announced = announcedIn(text);
    if (!announced) return;
    const { topic, userId, event } = announced;
    for (const follower of this.followers) if (follower.topic === topic) follower.notify(userId);
    for (const subscriber of this.subscribers.get(userId) ?? [])
      if (subscriber.topic === topic) subscriber.notify(event);
  }

  /** In batches: each of them may have a connection to close, and its client will reconnect. */
  private async interruptAll(): Promise<void> {
    const interrupted = [...this.subscribers.values()].flatMap((subscribers) => [...subscribers]);
    this.subscribers.clear();
    this.leased.clear();
    for (const [index, subscriber] of interrupted.entries()) {
      if (index % INTERRUPTED_PER_TURN === 0) await setImmediate();
      subscriber.interrupt();
    }
  }

  /**
   * Brings the user's row in `listeners` up to date. Calls that arrive during a write share the next one: a crowd
   * takes a few statements, and the last state always wins.
   */
  private updateLease(userId: string): Promise<void> {
    this.due.add(userId);
    this.nextWrite ??= this.lastWrite
      .catch(() => {})
      .then(() => {
        const users = [...this.due];
        this.due.clear();
        this.nextWrite = undefined;
        this.lastWrite = inBackground(() => this.write(users));
        return this.lastWrite;
      });
    return this.nextWrite;
  }

  private async write(users: string[]): Promise<void> {
    const changed = users.filter((user) => this.subscribers.has(user) !== this.leased.has(user));
    const wanted = changed.filter((user) => this.subscribers.has(user));
    const unwanted = changed.filter((user) => !this.subscribers.has(user));
    const deleting = this.deleteLeases(unwanted).catch(() => {}); // a failure only means unneeded announcements
    for (let from = 0; from < wanted.length; from += USERS_PER_STATEMENT)
      await this.addLeases(wanted.slice(from, from + USERS_PER_STATEMENT));
    await deleting;
  }

  private async addLeases(users: string[]): Promise<void> {
    await sql`
      insert into listeners (user_id, process_id, until)
      select user_id, ${this.processId}::uuid, ${leaseEnd} from unnest(${users}::uuid[]) as wanted (user_id)
      where ${inTime}
      on conflict (user_id, process_id) do update set until = excluded.until
    `.execute(this.query());
    for (const user of users) this.leased.add(user);
  }

  private async deleteLeases(users: string[]): Promise<void> {
    if (users.length === 0) return;
    for (const user of users) this.leased.delete(user); // even if the delete fails: the next subscriber then writes the row again
    await sql`
      delete from listeners where process_id = ${this.processId} and user_id = any(${users}::uuid[]) and ${inTime}
    `.execute(this.query());
  }

  /**
   * Writes all leases again, even current ones: if a clock stepped, another process may have deleted them as expired.
   */
  async renew(): Promise<void> {
    this.leased.clear();
    const users = [...this.subscribers.keys()];
    for (const user of users) this.due.add(user);
    if (users[0] !== undefined) await this.updateLease(users[0]);
    await sql`delete from listeners where until < now()`.execute(this.query());
  }
}

/** Ignores malformed text: any client of the database can send on the channel. */
function announcedIn(text: string): Announced | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && 'userId' in parsed
      ? (parsed as Announced)
      : undefined;
  } catch {
    return undefined;
  }
}

const leaseEnd = sql`now() + make_interval(mins => ${sql.lit(LEASE_MINUTES)})`;

/** For the transaction that deletes the account: nobody is to be told of it any more. */
export async function deleteLeases(query: Kysely<unknown>, userId: string): Promise<void> {
  await sql`delete from listeners where user_id = ${userId}`.execute(query);
}
