import type { Connection } from './connection.js';
import { SEND, UNDO } from './documents.js';
import { SteadyError } from './errors.js';
import {
  type DueTap,
  type Failure,
  inputOf,
  type Outbox,
  type Refusal,
  type Result,
  type Settle,
} from './sender.js';
import { PATIENCE } from './sending.js';
import type { KeptRefusal, KeptTap, KeptUndo, Taps } from './taps.js';

/** In milliseconds: after that a request that nobody waits for any more has surely ended, too. */
const SENDING = PATIENCE + 15_000;

/** Others are asked for by their key. */
const REMEMBERED = 1_000;

export interface Waiting {
  taps: readonly KeptTap[];
  undone: readonly KeptUndo[];
  /** Those of `undone` that the service has counted. */
  counted: readonly KeptUndo[];
}

interface Due extends DueTap {
  kept: KeptTap | KeptUndo;
}

interface Why extends Refusal {
  fields: SteadyError['fields'];
}

interface Completed {
  completeTasks: { results: Result<Why>[] };
}

/** Whose taps are sent. */
interface Owner extends Pick<Outbox<Due, Why>, 'alone' | 'failed'> {
  waiting: () => Promise<Waiting>;
  /** Something may have become of what waits. */
  changed: () => Promise<unknown>;
  /** Asks for something small, so that what surely did not leave can still be taken out. */
  reach: () => Promise<void>;
  /** All of it was sent. */
  over: () => void;
  refused: (key: string, refusal: SteadyError) => void;
  /** Others are at it, for so many milliseconds at least. */
  tryAgain: (milliseconds: number) => void;
}

/** In a storage that has no transactions: see `Taps`. */
export class StoredOutbox implements Outbox<Due, Why> {
  /** The ids of completions, by the keys of the last taps. */
  readonly ids = new Map<string, string>();
  private dueAgain: KeptTap[] = [];
  /** Why one cannot be taken back now: others need not wait for it. */
  private stuck: SteadyError | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly taps: Taps,
    private readonly owner: Owner,
  ) {}

  token(): string | null {
    return this.connection.token;
  }

  alone(work: () => Promise<void>): Promise<void> {
    return this.owner.alone(work);
  }

  failed(error: Failure): boolean {
    return this.owner.failed(error);
  }

  isRefusal(error: unknown): error is SteadyError {
    return isNo(error) && !/^(UNAUTHENTICATED|FORBIDDEN|GRAPHQL_)/.test(error.code ?? '');
  }

  /** What is tapped meanwhile is sent by whoever has tapped it. */
  async *pieces(most: number): AsyncGenerator<Due[], void> {
    this.stuck = undefined;
    try {
      for (const key of await this.taps.undone.names()) await this.takeOut(key);
      const { taps, undone } = await this.owner.waiting();
      if (taps.length + undone.length > 0) {
        await this.owner.reach();
        for (const { key } of (await this.owner.waiting()).undone) yield* this.undoOf(key);
        yield* this.tapsOf(await this.certain(), most);
      }
      await this.taps.tidy();
      if (this.stuck) throw this.stuck;
      this.owner.over();
    } finally {
      await this.owner.changed();
    }
  }

  /** Without those that count once where something is still to be taken back. */
  private async certain(): Promise<KeptTap[]> {
    const { taps, undone } = await this.owner.waiting();
    return taps.filter(({ once, taskId }) => !(once && undone.some((undo) => undo.taskId === taskId)));
  }

  private async *tapsOf(taps: readonly KeptTap[], most: number): AsyncGenerator<Due[], void> {
    const left = [...taps];
    while (left.length > 0) {
      yield await Promise.all(left.splice(0, most).map((kept) => this.dueOf(kept)));
      await this.owner.changed();
      left.unshift(...this.dueAgain.splice(0));
    }
  }

  /** Of what may have been counted the service is asked first: by its key it counts once, and has an id. */
  private async *undoOf(key: string): AsyncGenerator<Due[], void> {
    const undo = await this.taps.undone.get(key);
    if (undo?.completionId === null) yield [await this.dueOf(undo)];
    const counted = await this.taps.undone.get(key);
    if (counted?.completionId) yield [await this.dueOf(counted)];
    await this.owner.changed();
  }

  private async dueOf(kept: KeptTap | KeptUndo): Promise<Due> {
    const countsOnArrival = kept.at !== null || Boolean(await this.taps.ofNow.get(kept.key));
    return { ...kept, at: kept.madeAt, countsOnArrival, kept };
  }

  async send(taps: readonly Due[], token: string | null, settle: Settle<Due, Why>): Promise<void> {
    const [first] = taps;
    const isUndo = first !== undefined && isUndone(first);
    const name = await this.taps.beginSending(keysOf(taps), isUndo ? 2 * SENDING : SENDING);
    let settled: string[] = [];
    let unknown: string[] = [];
    try {
      const due: Due[] = [];
      for (const tap of taps) if (await this.isStillDue(tap, name)) due.push(tap);
      if (due.length === 0) return;
      unknown = keysOf(due);
      const input = due.map((tap) => {
        const { at } = tap.kept;
        return { ...inputOf(tap, this.connection.clock), ...(at && { at }) };
      });
      const { completeTasks } = await this.connection.ask<Completed>(SEND, { input }, token);
      for (const [index, tap] of due.entries())
        await settle(tap, completeTasks.results[index] as Result<Why>);
      [settled, unknown] = [unknown, []];
    } catch (error) {
      if (isNo(error)) unknown = [];
      throw error;
    } finally {
      await this.taps.endSending(name, settled, unknown);
    }
  }

  /** One client at a time takes back: else one might send the tap again after another has undone it. */
  private async isStillDue(tap: Due, name: string): Promise<boolean> {
    const { key } = tap;
    if (!isUndone(tap)) return !(await this.taps.undone.has(key)) && (await this.taps.waiting.has(key));
    const isFree = await this.isFree(key, name);
    const undo = await this.taps.undone.get(key);
    return isFree && undo?.completionId === null && !(await this.takeOut(key, name));
  }

  /** Else it is tried again when others may have ended. */
  private async isFree(key: string, name: string): Promise<boolean> {
    const othersFor = (await this.taps.isSent(key, name)) ?? 0;
    if (othersFor > 0) this.owner.tryAgain(Math.min(othersFor, 500 + Math.random() * 1_500));
    return othersFor <= 0;
  }

  async undo({ key, kept, completionId }: Due, token: string | null): Promise<void> {
    const name = await this.taps.beginSending([key], 2 * SENDING);
    const settled: string[] = [];
    try {
      if (!(await this.isFree(key, name))) return;
      await this.connection.ask(UNDO, { id: completionId }, token).catch((error) => {
        if (!this.isRefusal(error)) throw error;
        if (error.reason !== 'NOT_FOUND') return this.keepRefusal(kept, 'undo', error);
      });
      await this.forget(key);
      settled.push(key);
    } catch (error) {
      if (!isOfOne(error)) throw error;
      this.stuck = error;
    } finally {
      await this.taps.endSending(name, settled);
    }
  }

  private async forget(key: string): Promise<void> {
    this.ids.delete(key);
    await this.taps.forget(key);
  }

  async counted({ key }: Due, completionId: string, isDoneAlready: boolean): Promise<void> {
    this.remember(key, completionId);
    const undo = await this.taps.undone.get(key);
    if (undo && isDoneAlready) return this.forget(key);
    if (undo) await this.taps.undone.set(key, { ...undo, completionId });
    await this.taps.waiting.delete(key);
    await this.taps.refused.delete(key);
    await this.taps.ofNow.delete(key);
  }

  private remember(key: string, completionId: string): void {
    this.ids.set(key, completionId);
    const [oldest] = this.ids.keys();
    if (this.ids.size > REMEMBERED && oldest !== undefined) this.ids.delete(oldest);
  }

  /** What is to be taken back, and was not counted, is done. */
  async again(tap: Due, countsOnArrival: boolean): Promise<void> {
    if (isUndone(tap)) return this.forget(tap.key);
    if (countsOnArrival) await this.taps.ofNow.set(tap.key, true);
    this.dueAgain.push(tap.kept);
  }

  async refuse({ key, kept }: Due, why: Why): Promise<void> {
    if (!(await this.taps.undone.has(key))) await this.keepRefusal(kept, 'complete', why);
    await this.forget(key);
  }

  private async keepRefusal(kept: KeptTap, action: KeptRefusal['action'], why: Why): Promise<void> {
    const { reason, message, fields } = why;
    const told = new SteadyError(message, { reason, fields, outcome: 'NOT_APPLIED' });
    this.owner.refused(kept.key, told);
    await this.taps.refused.set(kept.key, { ...kept, action, reason, message, fields });
  }

  /** What nobody has ever sent is gone at once. */
  async takeOut(key: string, except?: string): Promise<boolean> {
    const undo = await this.taps.undone.get(key);
    if (!undo || undo.completionId !== null) return false;
    if (!undo.isOut) {
      // In this order: of what was counted, the tap is forgotten before it is forgotten that it was sent.
      if ((await this.taps.isSent(key, except)) !== undefined) return false;
      if (!(await this.taps.waiting.has(key))) return false;
      await this.taps.undone.set(key, { ...undo, isOut: true });
    }
    await this.taps.forget(key);
    return true;
  }
}

const keysOf = (taps: readonly Due[]) => taps.map(({ key }) => key);

const isUndone = ({ kept }: Due) => 'completionId' in kept;

/** The service is there, and fails at this alone. */
const isOfOne = (error: unknown): error is SteadyError =>
  error instanceof SteadyError && error.reason === 'INTERNAL';

/** Nothing was done, and the same would be refused again. */
const isNo = (error: unknown): error is SteadyError => error instanceof SteadyError && !error.isPassing;
