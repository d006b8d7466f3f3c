import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { CHANNEL, type Listen, type StopListening } from '../backend.js';
import { despiteCrowd } from '../event-reads.js';
import { inTime } from '../in-time.js';
import type { Columns } from '../tables.js';
import type { Listener } from './listener.entity.js';

/**
 * An expression that announces a change to a user: put it into the statement or the transaction that
 * makes the change. It is heard once that is committed, and never when it is undone. Where nobody
 * listens nothing is said, for a commit that says something waits for all others that do. `event` is
 * a JSON object; name columns with their table.
 */
export const announce = (topic: string, userId: RawBuilder<unknown>, event: RawBuilder<unknown>) => sql`(
    select pg_notify(
      ${sql.lit(CHANNEL)},
      json_build_object('topic', ${sql.lit(topic)}, 'userId', ${userId}, 'event', ${event})::text
    ) where exists (select from listeners where listeners.user_id = ${userId} and until > now())
  )`;

/** A condition for statements that change many users: only those of whom some process may want to hear. */
export const mayBeHeard = (userId: RawBuilder<unknown>) =>
  sql<boolean>`${userId} in (select user_id from listeners)`;

export interface Subscriber {
  topic: string;
  notify(event: unknown): void;
  /** Something may have been missed; nothing more will come. */
  interrupt(): void;
}

interface Announced {
  topic: string;
  userId: string;
  event: unknown;
}

/** In minutes: how long a process that has died is spoken to, and how often a living one speaks up. */
const LEASE = 60;
const RENEWED_EVERY = 5;

/** Users that one statement writes down, and subscribers that are interrupted in one turn of the event loop. */
const AT_ONCE = 500;
const INTERRUPTED_AT_ONCE = 20;

/** What any process on this database announces, passed on to whoever in this one wants to hear of it. */
export class Announcements {
  private readonly processId = randomUUID();
  private readonly subscribers = new Map<string, Set<Subscriber>>();
  /** The users of whom the table says that this process listens for them. */
  private readonly registered = new Set<string>();
  /** Of whom the table is to say something else. */
  private due = new Set<string>();
  private nextWrite: Promise<void> | undefined;
  private lastWrite = Promise.resolve();
  /** What is written for many is no part of the request that happens to come first. */
  private readonly forAll = AsyncLocalStorage.snapshot();
  private listening: Promise<StopListening> | undefined;

  constructor(
    private readonly listen: Listen,
    private readonly query: () => Kysely<{ listeners: Columns<Listener> }>,
  ) {}

  /** Resolves once nothing that is announced from now on can be missed. The answer ends the subscription. */
  async subscribe(userId: string, subscriber: Subscriber): Promise<() => void> {
    await this.open();
    const subscribers = this.subscribers.get(userId) ?? new Set();
    this.subscribers.set(userId, subscribers.add(subscriber));
    const unsubscribe = () => {
      subscribers.delete(subscriber);
      if (subscribers.size > 0 || this.subscribers.get(userId) !== subscribers) return;
      this.subscribers.delete(userId);
      this.register(userId).catch(() => {});
    };
    return this.register(userId).then(
      () => unsubscribe,
      (error) => {
        unsubscribe();
        throw error;
      },
    );
  }

  /** Begins to listen, unless that was done. From then on it lasts: a lost connection comes back by itself. */
  async open(): Promise<void> {
    this.listening ??= this.begin().catch((error: unknown) => {
      this.listening = undefined; // whoever comes next tries again
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
      reconnected: () => void this.interruptAll(),
    });
    const renewal = setInterval(() => this.renew().catch(() => {}), RENEWED_EVERY * 60_000);
    renewal.unref();
    return async () => {
      clearInterval(renewal);
      await this.query()
        .deleteFrom('listeners')
        .where('process_id', '=', this.processId)
        .execute()
        .catch(() => {}); // the lease ends by itself
      await stop();
    };
  }

  private receive(text: string): void {
    const announced = announcedIn(text);
    if (!announced) return;
    const { topic, userId, event } = announced;
    for (const subscriber of this.subscribers.get(userId) ?? [])
      if (subscriber.topic === topic) subscriber.notify(event);
  }

  /** Not all in one go: each of them may have a connection to close, and asks anew. */
  private async interruptAll(): Promise<void> {
    const interrupted = [...this.subscribers.values()].flatMap((subscribers) => [...subscribers]);
    this.subscribers.clear();
    this.registered.clear();
    for (const [index, subscriber] of interrupted.entries()) {
      if (index % INTERRUPTED_AT_ONCE === 0) await setImmediate();
      subscriber.interrupt();
    }
  }

  /**
   * Makes the table say what is so now. Whoever comes while it is written waits for the next time, together with
   * all others: a crowd takes a few statements, and the last word is never an old one.
   */
  private register(userId: string): Promise<void> {
    this.due.add(userId);
    this.nextWrite ??= this.lastWrite
      .catch(() => {})
      .then(() => {
        const users = [...this.due];
        this.due.clear();
        this.nextWrite = undefined;
        this.lastWrite = this.forAll(() => this.write(users));
        return this.lastWrite;
      });
    return this.nextWrite;
  }

  private async write(users: string[]): Promise<void> {
    const changed = users.filter((user) => this.subscribers.has(user) !== this.registered.has(user));
    const wanted = changed.filter((user) => this.subscribers.has(user));
    const unwanted = changed.filter((user) => !this.subscribers.has(user));
    const forgetting = this.forget(unwanted).catch(() => {}); // then a few things are said in vain
    for (let from = 0; from < wanted.length; from += AT_ONCE)
      await this.note(wanted.slice(from, from + AT_ONCE));
    await forgetting;
  }

  private async note(users: string[]): Promise<void> {
    await despiteCrowd(() =>
      sql`
        insert into listeners (user_id, process_id, until)
        select user_id, ${this.processId}::uuid, ${leaseEnd} from unnest(${users}::uuid[]) as wanted (user_id)
        where ${inTime}
        on conflict (user_id, process_id) do update set until = excluded.until
      `.execute(this.query()),
    );
    for (const user of users) this.registered.add(user);
  }

  private async forget(users: string[]): Promise<void> {
    if (users.length === 0) return;
    for (const user of users) this.registered.delete(user); // whatever becomes of the rows: the next subscriber writes them again
    await despiteCrowd(() =>
      sql`
        delete from listeners where process_id = ${this.processId} and user_id = any(${users}::uuid[]) and ${inTime}
      `.execute(this.query()),
    );
  }

  /** Writes every lease again, for where a clock has stepped another process may have taken it for ended. */
  async renew(): Promise<void> {
    this.registered.clear();
    const users = [...this.subscribers.keys()];
    for (const user of users) this.due.add(user);
    if (users[0] !== undefined) await this.register(users[0]);
    await sql`delete from listeners where until < now()`.execute(this.query());
  }
}

/** Whoever may connect to the database may say anything on its channels. */
function announcedIn(text: string): Announced | undefined {
  try {
    const said: unknown = JSON.parse(text);
    return typeof said === 'object' && said !== null && 'userId' in said ? (said as Announced) : undefined;
  } catch {
    return undefined;
  }
}

const leaseEnd = sql`now() + make_interval(mins => ${sql.lit(LEASE)})`;
