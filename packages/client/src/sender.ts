import type { Connection } from './connection.js';
import { SEND, UNDO } from './documents.js';
import { noAnswer, SteadyError } from './errors.js';
import { JUST_NOW, PATIENCE, TOGETHER } from './sending.js';
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

interface Result {
  completion: { id: string } | null;
  isReplayed: boolean;
  isDoneAlready: boolean;
  error: { reason: string; message: string; fields: SteadyError['fields'] } | null;
}

interface Completed {
  completeTasks: { results: Result[] };
}

/** Whose taps are sent. */
interface Owner {
  waiting: () => Promise<Waiting>;
  changed: () => Promise<void>;
  /** Whether it is still who was asked for: somebody else may log in while many are sent. */
  isHere: () => boolean;
  refused: (key: string, refusal: SteadyError) => void;
  /** Others are at it, for so many milliseconds at least. */
  tryAgain: (milliseconds: number) => void;
}

/** Sends taps and undos, one after the other, and keeps what became of them. */
export class Sender {
  /** The ids of completions, by the keys of the last taps. */
  readonly counted = new Map<string, string>();

  constructor(
    private readonly connection: Connection,
    private readonly taps: Taps,
    private readonly now: () => number,
    private readonly owner: Owner,
  ) {}

  /** What is tapped meanwhile is sent by whoever has tapped it. */
  async sendTaps(): Promise<void> {
    const { taps, undone } = await this.owner.waiting();
    const isInDoubt = ({ once, taskId }: KeptTap) => once && undone.some((undo) => undo.taskId === taskId);
    const left = taps.filter((tap) => !isInDoubt(tap));
    while (left.length > 0) {
      const due = left.splice(0, TOGETHER);
      const again = new Set(await this.send(due));
      left.unshift(...due.filter(({ key }) => again.has(key)));
      await this.owner.changed();
    }
  }

  /** Returns those that are to be sent once more. */
  private async send(taps: readonly KeptTap[]): Promise<string[]> {
    const name = await this.taps.beginSending(
      taps.map(({ key }) => key),
      SENDING,
    );
    const settled: string[] = [];
    let unknown: string[] = [];
    try {
      const due: KeptTap[] = [];
      for (const tap of taps) if (await this.isStillDue(tap)) due.push(tap);
      unknown = due.map(({ key }) => key);
      const results = await this.ask(due);
      const again: string[] = [];
      for (const [index, tap] of due.entries()) {
        if (await this.settle(tap, results[index])) again.push(tap.key);
        settled.push(tap.key);
      }
      unknown = [];
      return again;
    } catch (error) {
      if (isRefusal(error)) unknown = [];
      if (!isUnreadable(error) || taps.length === 1) throw error;
    } finally {
      await this.taps.endSending(name, settled, unknown);
    }
    // The service refuses all, where it cannot read one of them.
    const again: string[] = [];
    for (const tap of taps) again.push(...(await this.send([tap])));
    return again;
  }

  private async isStillDue({ key }: KeptTap): Promise<boolean> {
    return !(await this.taps.undone.has(key)) && (await this.taps.waiting.has(key));
  }

  private async ask(taps: readonly KeptTap[]): Promise<Result[]> {
    if (taps.length === 0) return [];
    const input = await Promise.all(taps.map((tap) => this.inputOf(tap)));
    try {
      return (await this.request<Completed>(SEND, { input })).completeTasks.results;
    } catch (error) {
      if (!isUnreadable(error) || taps.length > 1) throw error;
      return [{ completion: null, isReplayed: false, isDoneAlready: false, error }];
    }
  }

  /** With the token of whoever it is of: somebody else would be refused, and what is refused waits no more. */
  private async request<Answer>(document: string, variables: object): Promise<Answer> {
    if (!this.owner.isHere()) throw noAnswer('Somebody else has logged in meanwhile');
    return this.connection.ask<Answer>(document, variables);
  }

  private async inputOf(tap: KeptTap) {
    const { key, taskId, amount, note, once, at, madeAt } = tap;
    const done = { taskId, idempotencyKey: key, amount, note, ...(once && { once }) };
    if (at !== null) return { ...done, at };
    if (await this.taps.ofNow.get(key)) return done;
    return { ...done, at: new Date(this.connection.clock.momentOf(madeAt)).toISOString() };
  }

  /** What became of it. Answers whether it is to be sent again. */
  private async settle(tap: KeptTap, result: Result | undefined): Promise<boolean> {
    const { key } = tap;
    const error = result?.error;
    if (error) {
      const isOfClocks = error.reason === 'TOO_LONG_AGO' || error.reason === 'IN_FUTURE';
      const isJustNow = tap.at === null && Math.abs(this.now() - tap.madeAt) < JUST_NOW;
      if (isOfClocks && isJustNow && !(await this.taps.ofNow.get(key))) {
        await this.taps.ofNow.set(key, true);
        return true;
      }
      if (!(await this.taps.undone.has(key))) await this.refuse(tap, 'complete', error);
      await this.taps.forget(key);
      return false;
    }
    const completionId = result?.completion?.id;
    if (completionId === undefined) return false;
    this.remember(key, completionId);
    const undo = await this.taps.undone.get(key);
    if (undo && result?.isDoneAlready)
      await this.taps.forget(key); // it has recorded nothing
    else if (undo) await this.taps.undone.set(key, { ...undo, completionId });
    await this.taps.waiting.delete(key);
    await this.taps.refused.delete(key);
    await this.taps.ofNow.delete(key);
    return false;
  }

  private remember(key: string, completionId: string): void {
    this.counted.set(key, completionId);
    const [oldest] = this.counted.keys();
    if (this.counted.size > REMEMBERED && oldest !== undefined) this.counted.delete(oldest);
  }

  private async refuse(
    tap: KeptTap,
    action: KeptRefusal['action'],
    refusal: Omit<KeptRefusal, keyof KeptTap | 'action'>,
  ) {
    const { reason, message, fields } = refusal;
    const told = new SteadyError(message, { reason, fields, outcome: 'NOT_APPLIED' });
    this.owner.refused(tap.key, told);
    await this.taps.refused.set(tap.key, { ...tap, action, reason, message, fields });
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

  async sendUndos(): Promise<void> {
    const { undone } = await this.owner.waiting();
    for (const { key } of undone) {
      await this.sendUndo(key);
      await this.owner.changed();
    }
  }

  /** One client at a time: else one might send the tap again after another has undone it. */
  private async sendUndo(key: string): Promise<void> {
    const name = await this.taps.beginSending([key], 2 * SENDING);
    let [isAsked, isOver] = [false, false];
    try {
      const othersFor = (await this.taps.isSent(key, name)) ?? 0;
      const undo = await this.taps.undone.get(key);
      if (undo && othersFor > 0) return this.owner.tryAgain(Math.min(othersFor, 500 + Math.random() * 1_500));
      if (undo && !(await this.takeOut(key, name))) {
        isAsked = true;
        await this.undo(undo);
      }
      isOver = true;
    } finally {
      await this.taps.endSending(name, isOver ? [key] : [], isAsked && !isOver ? [key] : []);
    }
  }

  /** Of what may have been counted the service is asked first: by its key it counts once, and has an id. */
  private async undo(undo: KeptUndo): Promise<void> {
    const { key } = undo;
    let { completionId } = undo;
    if (completionId === null) {
      const [result] = await this.ask([undo]);
      completionId = result?.isDoneAlready ? null : (result?.completion?.id ?? null);
      if (completionId !== null) await this.taps.undone.set(key, { ...undo, completionId });
    }
    try {
      if (completionId !== null) await this.request(UNDO, { id: completionId });
    } catch (error) {
      if (!isRefusal(error) || isOfToken(error)) throw error;
      if (error.reason !== 'NOT_FOUND') await this.refuse(undo, 'undo', error); // one that is gone was undone elsewhere
    }
    this.counted.delete(key);
    await this.taps.forget(key);
  }
}

/** Nothing was done, and the same would be refused again. */
const isRefusal = (error: unknown): error is SteadyError => error instanceof SteadyError && !error.isPassing;

const isOfToken = ({ code }: SteadyError) => code === 'UNAUTHENTICATED' || code === 'FORBIDDEN';

/** An input has a form that GraphQL does not know. */
const isUnreadable = (error: unknown): error is SteadyError =>
  isRefusal(error) && /^BAD_/.test(error.code ?? '');
