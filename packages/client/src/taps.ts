import type { SteadyError } from './errors.js';
import { newKey } from './key.js';
import type { ClientStorage } from './storage.js';

/** What was done, as it waits. It never changes: what becomes of it stands under other names. */
export interface KeptTap {
  key: string;
  taskId: string;
  /** In milliseconds, by the clock of this device; null where `at` says it. */
  madeAt: number;
  /** As it was given. */
  at: string | null;
  amount: number | null;
  note: string | null;
  /** Only if there is nothing on that day yet. */
  once?: boolean;
  /** Whose it is: the id of the user, or a mark of the token while nobody has said who that is. */
  owner: string;
}

/** What is to be taken back. */
export interface KeptUndo extends KeptTap {
  /** Known once the service has said it. */
  completionId: string | null;
  /** Nobody has ever sent it. */
  isOut?: boolean;
}

export interface KeptRefusal extends KeptTap {
  action: 'complete' | 'undo';
  reason: string;
  message: string;
  fields: SteadyError['fields'];
}

/** Taps that a client is sending, until when, in milliseconds: they may have been counted even after that. */
interface Sending {
  until: number;
  keys: readonly string[];
}

/** Nobody sends for longer: whoever says so has gone, and had a clock that was ahead. */
const LONGEST_MS = 10 * 60_000;

function leftOf({ until }: Sending): number {
  const left = until - Date.now();
  return left > LONGEST_MS ? 0 : left;
}

/** The entries of one kind. */
export class Entries<Value> {
  constructor(
    private readonly storage: ClientStorage,
    private readonly prefix: string,
  ) {}

  async get(name: string): Promise<Value | null> {
    const text = await this.storage.get(this.prefix + name);
    return typeof text === 'string' ? JSON.parse(text) : null;
  }

  async set(name: string, value: Value): Promise<void> {
    await this.storage.set(this.prefix + name, JSON.stringify(value));
  }

  async has(name: string): Promise<boolean> {
    return typeof (await this.storage.get(this.prefix + name)) === 'string';
  }

  async delete(name: string): Promise<void> {
    await this.storage.delete(this.prefix + name);
  }

  async names(): Promise<string[]> {
    return [...(await this.storage.keys(this.prefix))].map((key) => key.slice(this.prefix.length));
  }

  /** Without those that are deleted meanwhile. */
  async all(): Promise<Value[]> {
    const values = await Promise.all((await this.names()).map((name) => this.get(name)));
    return values.filter((value) => value !== null);
  }
}

/**
 * Every tap has a few entries, and each of them is written as a whole: nothing is read, changed and written back, so
 * clients of one storage lose nothing to each other, and need no lock.
 *
 * Whoever sends a tap says so, and then looks whether it was taken out; whoever takes it out says so, and then looks
 * whether it was sent: one of them sees the other.
 */
export class Taps {
  readonly waiting: Entries<KeptTap>;
  readonly undone: Entries<KeptUndo>;
  readonly refused: Entries<KeptRefusal>;
  /** Those that count when they arrive. */
  readonly ofNow: Entries<true>;
  private readonly sending: Entries<Sending>;
  /** What this client has tried to send: which of it was counted is not known. */
  private left: { name: string; keys: readonly string[] }[] = [];

  constructor(storage: ClientStorage) {
    this.waiting = new Entries(storage, 'tap:');
    this.undone = new Entries(storage, 'undo:');
    this.refused = new Entries(storage, 'refused:');
    this.ofNow = new Entries(storage, 'now:');
    this.sending = new Entries(storage, 'sending:');
  }

  /** Returns the name under which it ends. None is used twice, so that whoever tidies up takes nothing new. */
  async beginSending(keys: readonly string[], forMs: number): Promise<string> {
    const name = newKey();
    await this.sending.set(name, { until: Date.now() + forMs, keys });
    return name;
  }

  /** Some may have been counted although nobody has said so: that stays known until they are settled. */
  async endSending(name: string, settled: readonly string[], unknown: readonly string[] = []): Promise<void> {
    const before = this.left;
    this.left = before.map((each) => ({ ...each, keys: each.keys.filter((key) => !settled.includes(key)) }));
    const isKnown = this.left.some(({ keys }) => unknown.every((key) => keys.includes(key)));
    if (isKnown || unknown.length === 0) await this.sending.delete(name);
    else {
      await this.sending.set(name, { until: 0, keys: unknown });
      this.left.push({ name, keys: unknown });
    }
    const isNeeded = (keys: readonly string[]) => keys.some((key) => isKnown || !unknown.includes(key));
    const over = this.left.filter((each) => each.name !== name && !isNeeded(each.keys));
    this.left = this.left.filter((each) => !over.includes(each));
    for (const each of over) await this.sending.delete(each.name);
  }

  /** Undefined where nobody has ever sent it; else how long somebody may still be at it, in milliseconds. */
  async isSent(key: string, except?: string): Promise<number | undefined> {
    let left: number | undefined;
    for (const name of await this.sending.names()) {
      const found = name === except ? null : await this.sending.get(name);
      if (found?.keys.includes(key)) left = Math.max(left ?? 0, leftOf(found));
    }
    return left;
  }

  /** Forgets what clients that are gone have left. */
  async tidy(): Promise<void> {
    const isThere = async (key: string) => (await this.waiting.has(key)) || (await this.undone.has(key));
    for (const name of await this.sending.names()) {
      const found = await this.sending.get(name);
      if (!found || leftOf(found) > 0) continue;
      const there = await Promise.all(found.keys.map(isThere));
      if (!there.includes(true)) await this.sending.delete(name);
    }
    for (const key of await this.ofNow.names()) if (!(await isThere(key))) await this.ofNow.delete(key);
  }

  /** In this order: who has seen no undo finds no tap either. */
  async forget(key: string): Promise<void> {
    await this.waiting.delete(key);
    await this.undone.delete(key);
    await this.ofNow.delete(key);
  }
}
