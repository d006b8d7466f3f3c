import { randomUUID } from 'node:crypto';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { inTime } from './in-time.js';
import type { Listener } from './listener.entity.js';
import { CHANNEL, type Listen, type StopListening } from './listening.js';
import type { Columns } from './tables.js';

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

export interface Hearer {
  topic: string;
  hear(event: unknown): void;
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
const RENEWED_EVERY = 20;

/** What any process on this database announces, passed on to whoever in this one wants to hear of it. */
export class Announcements {
  private readonly processId = randomUUID();
  private readonly hearers = new Map<string, Set<Hearer>>();
  /** The users of whom the table says that this process listens for them. */
  private readonly registered = new Set<string>();
  private readonly registering = new Map<string, Promise<void>>();
  private listening: Promise<StopListening> | undefined;

  constructor(
    private readonly listen: Listen,
    private readonly query: () => Kysely<{ listeners: Columns<Listener> }>,
  ) {}

  /** Resolves once nothing that is announced from now on can be missed. The answer ends the subscription. */
  async subscribe(userId: string, hearer: Hearer): Promise<() => void> {
    await this.open();
    const hearers = this.hearers.get(userId) ?? new Set();
    this.hearers.set(userId, hearers.add(hearer));
    const unsubscribe = () => {
      hearers.delete(hearer);
      if (hearers.size > 0 || this.hearers.get(userId) !== hearers) return;
      this.hearers.delete(userId);
      this.register(userId).catch(() => {}); // then a few things are said in vain
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
    const stop = await this.listen({ hear: (text) => this.hear(text), back: () => this.interruptAll() });
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

  private hear(text: string): void {
    const announced = announcedIn(text);
    if (!announced) return;
    const { topic, userId, event } = announced;
    for (const hearer of this.hearers.get(userId) ?? []) if (hearer.topic === topic) hearer.hear(event);
  }

  private interruptAll(): void {
    const interrupted = [...this.hearers.values()].flatMap((hearers) => [...hearers]);
    this.hearers.clear();
    this.registered.clear();
    for (const hearer of interrupted) hearer.interrupt();
  }

  /** Makes the table say what is so now. One at a time for each user, lest the last word be an old one. */
  private register(userId: string): Promise<void> {
    const before = this.registering.get(userId)?.catch(() => {}) ?? Promise.resolve();
    const after = before.then(() => this.write(userId));
    this.registering.set(userId, after);
    const forget = () => {
      if (this.registering.get(userId) === after) this.registering.delete(userId);
    };
    after.then(forget, forget);
    return after;
  }

  private async write(userId: string): Promise<void> {
    const isWanted = this.hearers.has(userId);
    if (isWanted === this.registered.has(userId)) return;
    const { processId } = this;
    if (isWanted) {
      await sql`
        insert into listeners (user_id, process_id, until)
        select ${userId}::uuid, ${processId}::uuid, ${leaseEnd} where ${inTime}
        on conflict (user_id, process_id) do update set until = excluded.until
      `.execute(this.query());
      this.registered.add(userId);
    } else {
      this.registered.delete(userId); // whatever becomes of the row: the next subscriber writes it again
      await sql`
        delete from listeners where user_id = ${userId} and process_id = ${processId} and ${inTime}
      `.execute(this.query());
    }
  }

  private async renew(): Promise<void> {
    await sql`
      update listeners set until = ${leaseEnd}
      where process_id = ${this.processId} and user_id = any(${[...this.registered]}::uuid[])
    `.execute(this.query());
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
