import type { Account } from './account.js';
import type { Connection } from './connection.js';
import { SteadyError } from './errors.js';
import { newKey } from './key.js';
import { senderOf } from './sender.js';
import type { ClientStorage } from './storage.js';
import { StoredOutbox, type Waiting } from './stored-outbox.js';
import { type KeptTap, Taps } from './taps.js';

/** In milliseconds: who has tapped is told by then that it waits. */
const TOLD_WITHIN = 10_000;

export interface Done {
  /** Without it, all of a target of the day, or 1. */
  amount?: number | null;
  note?: string | null;
  /** Only if the habit has nothing on that day yet, wherever it was done: a second device does not make it two. */
  once?: boolean;
  /** When it was done; without it, now. */
  at?: Date | string | null;
  /** One is made where none is given. The same key counts once. */
  key?: string;
}

export interface Tap {
  key: string;
  taskId: string;
  /** `sent`: it was counted. `waiting`: it is kept, and will be sent. */
  state: 'sent' | 'waiting';
  /** Null while it is not known. */
  completionId: string | null;
  amount: number | null;
  note: string | null;
  once?: boolean;
  at: string;
}

export interface Refused {
  key: string;
  taskId: string;
  action: 'complete' | 'undo';
  reason: string;
  message: string;
  at: string;
  amount: number | null;
  note: string | null;
}

const inOrder = (one: KeptTap, other: KeptTap) => one.madeAt - other.madeAt || (one.key < other.key ? -1 : 1);

const momentOf = ({ at, madeAt }: KeptTap) => at ?? new Date(madeAt).toISOString();

/** Taps and what takes them back, kept until the service has said what became of them. */
export class Queue {
  /** Why something waits; null when nothing went wrong. */
  error: SteadyError | null = null;
  private readonly taps: Taps;
  private readonly outbox: StoredOutbox;
  private readonly send: () => Promise<void>;
  /** The refusals of what somebody waits for. */
  private readonly awaited = new Map<string, SteadyError | null>();
  private readonly listeners = new Set<() => void>();
  private readonly leave: () => void;
  private known: { size: number; refused: readonly Refused[] } = { size: 0, refused: [] };
  /** The keys of what waits and is of somebody else. */
  private ofOthers = new Set<string>();
  private reachedWith: string | null = null;
  private isClosed = false;
  /** Of what others are at. */
  private timer: ReturnType<typeof setTimeout> | undefined;
  private latest: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly connection: Connection,
    storage: ClientStorage,
    private readonly account: Account,
    private readonly now: () => number,
  ) {
    this.taps = new Taps(storage);
    this.outbox = new StoredOutbox(connection, this.taps, {
      waiting: () => this.waiting(),
      reach: () => this.reach(),
      changed: () => this.recount(),
      over: () => {
        this.error = null;
      },
      failed: (error) => this.failed(error),
      refused: (key, refusal) => {
        if (this.awaited.has(key)) this.awaited.set(key, refusal);
      },
      tryAgain: (milliseconds) => {
        clearTimeout(this.timer);
        if (!this.isClosed) this.timer = setTimeout(() => void this.flush().catch(() => {}), milliseconds);
      },
      alone: (work) => this.alone(async () => (this.isClosed ? undefined : work())),
    });
    this.send = senderOf(this.outbox, connection.clock);
    const ended = storage.subscribe?.(() => void this.refresh().catch(() => {}));
    const online = () => void this.flush().catch(() => {});
    globalThis.addEventListener?.('online', online);
    this.leave = () => {
      ended?.();
      globalThis.removeEventListener?.('online', online);
    };
    this.refresh()
      .then(() => (this.size > 0 ? this.flush() : undefined))
      .catch(() => {});
  }

  /** How many taps and undos wait. */
  get size(): number {
    return this.known.size;
  }

  /** What the service has refused, until it is dismissed. */
  get refused(): readonly Refused[] {
    return this.known.refused;
  }

  /** Calls back whenever `size` or `refused` have changed. Returns what ends it. */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Sends what waits. Answers how much waits still, for which `error` has the reason. */
  async flush(): Promise<number> {
    if (this.isClosed) return this.size;
    await this.send();
    return this.size;
  }

  /** Forgets what was refused. */
  async dismiss(key: string): Promise<void> {
    await this.taps.refused.delete(key);
    await this.refresh();
  }

  /** Sends again what was refused: counted for now, with its key. */
  async again(key: string): Promise<void> {
    const refused = await this.taps.refused.get(key);
    if (refused?.action !== 'complete') return;
    const { action: _, reason: __, message: ___, fields: ____, ...tap } = refused;
    await this.taps.ofNow.set(key, true);
    await this.taps.waiting.set(key, { ...tap, at: null, madeAt: this.now() });
    await this.taps.refused.delete(key);
    await this.flush();
  }

  /** Sends nothing any more; what waits goes on waiting. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.leave();
    this.listeners.clear();
  }

  async add(
    taskId: string,
    { amount = null, note = null, once = false, at, key = newKey() }: Done,
  ): Promise<Tap> {
    // JSON has no such numbers, and without an amount it would count as all of the target.
    if (amount !== null && !Number.isFinite(amount)) throw new RangeError(`${amount} is no amount`);
    const tap: KeptTap = {
      key,
      taskId: String(taskId),
      madeAt: this.now(),
      at: at ? new Date(at).toISOString() : null,
      amount,
      note,
      once,
      owner: await this.account.known(),
    };
    await this.taps.waiting.set(key, tap);
    await this.refresh();
    await this.sendNow(key);
    const isSent = this.outbox.ids.has(key) || !(await this.taps.waiting.has(key));
    return {
      ...{ key, taskId: tap.taskId, amount, note, once, at: momentOf(tap) },
      state: isSent ? 'sent' : 'waiting',
      completionId: this.outbox.ids.get(key) ?? null,
    };
  }

  /** Answers whether it is taken back, or waits to be. */
  async takeBack({ key, taskId, amount, note, once, at, completionId }: Tap): Promise<'undone' | 'waiting'> {
    const kept = await this.taps.waiting.get(key);
    if (!kept && (await this.taps.refused.has(key))) {
      await this.dismiss(key);
      return 'undone';
    }
    const owner = await this.account.known();
    const tap = kept ?? { key, taskId, madeAt: Date.parse(at), at, amount, note, once, owner };
    const id = completionId ?? this.outbox.ids.get(key) ?? null;
    await this.taps.undone.set(key, { ...tap, completionId: id });
    const isOut = await this.outbox.takeOut(key);
    await this.refresh();
    if (isOut) return 'undone';
    await this.sendNow(key);
    return (await this.taps.undone.has(key)) ? 'waiting' : 'undone';
  }

  /** Tells what the service refuses; what takes too long, or has no network, goes on waiting. */
  private async sendNow(key: string): Promise<void> {
    this.awaited.set(key, null);
    try {
      await within(TOLD_WITHIN, this.flush());
      const refusal = this.awaited.get(key);
      if (refusal) throw refusal;
    } finally {
      this.awaited.delete(key);
    }
  }

  /** What waits of whoever is logged in. */
  async waiting(): Promise<Waiting> {
    const [allTaps, allUndone] = [await this.taps.waiting.all(), await this.taps.undone.all()];
    const [taps, undone] = [await this.ofOwner(allTaps), await this.ofOwner(allUndone)];
    const own = new Set([...taps, ...undone].map(({ key }) => key));
    this.ofOthers = new Set([...allTaps, ...allUndone].map(({ key }) => key).filter((key) => !own.has(key)));
    const keys = new Set(undone.map(({ key }) => key));
    const isTap = (key: string) => taps.some((tap) => tap.key === key);
    return {
      taps: taps.filter(({ key }) => !keys.has(key)).sort(inOrder),
      undone,
      counted: undone.filter(({ key, completionId }) => completionId !== null || !isTap(key)),
    };
  }

  /** Not while something is sent. */
  alone<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const done = this.latest.then(work);
    this.latest = done.catch(() => {});
    return done;
  }

  private async ofOwner<Each extends KeptTap>(all: readonly Each[]): Promise<Each[]> {
    const owned: Each[] = [];
    for (const each of all) if (await this.account.owns(each.owner)) owned.push(each);
    return owned;
  }

  private async refresh(): Promise<void> {
    const { taps, undone } = await this.waiting();
    await this.show(taps.length + undone.length);
  }

  /** After each piece of many that are sent: by their names, since reading all of them takes as long as there are. */
  private async recount(): Promise<void> {
    const names = new Set([...(await this.taps.waiting.names()), ...(await this.taps.undone.names())]);
    await this.show([...names].filter((name) => !this.ofOthers.has(name)).length);
  }

  private async show(size: number): Promise<void> {
    const refused = (await this.ofOwner(await this.taps.refused.all())).sort(inOrder).map((each): Refused => {
      const { key, taskId, action, reason, message, amount, note } = each;
      return { key, taskId, action, reason, message, amount, note, at: momentOf(each) };
    });
    const known = { size, refused };
    const isSame = JSON.stringify(known) === JSON.stringify(this.known);
    this.known = known;
    if (!isSame) for (const listener of [...this.listeners]) listener();
  }

  private failed(error: unknown): boolean {
    this.reachedWith = null;
    if (!(error instanceof SteadyError)) throw error;
    this.error = error;
    return error.isPassing && !this.isClosed;
  }

  /** So that what surely did not leave can be taken out again. The answer tells the time by which taps are dated, too. */
  private async reach(): Promise<void> {
    const { token } = this.connection;
    if (!token) throw new SteadyError('Nobody is logged in', { reason: 'TOKEN_MISSING' });
    if (this.reachedWith !== token) await this.account.ask();
    this.reachedWith = token;
  }
}

/** Resolves with the work, or when it takes too long. */
async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
