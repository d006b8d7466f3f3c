import type { ServiceClock } from './clock.js';
import { backoffOf } from './retry.js';
import { CLOCK_NEWS, JUST_NOW, TOGETHER } from './sending.js';

/** Reasons that the clock of the device may have given. */
const OF_CLOCKS = /IN_FUTURE|TOO_LONG_AGO/;

/** A tap as it waits. */
export interface DueTap {
  /** The idempotency key, made at the tap: however often it is sent, it counts once. */
  key: string;
  taskId: string;
  amount: number | null;
  note: string | null;
  /** Only if there is nothing on that day yet. */
  once?: boolean;
  /** In milliseconds, by the clock of this device. */
  at: number;
  /** To be counted when it arrives, or when somebody has said, not when it was made. */
  countsOnArrival?: boolean;
  /** It is to be taken back, and this is what the service has made of it. */
  completionId?: string | null;
}

export interface Refusal {
  reason: string;
  message: string;
}

export type Result<Why extends Refusal = Refusal> =
  | { completion: { id: string }; isDoneAlready: boolean; error: null }
  | { completion: null; error: Why };

/** Keeps what became of a tap. */
export type Settle<Tap, Why extends Refusal> = (tap: Tap, result: Result<Why>) => Promise<unknown>;

/**
 * Where taps wait, and the way to the service. Others of the same storage do all of this at the same time. Whose taps
 * they are, the token says that was there when their sending began.
 */
export interface Outbox<Tap extends DueTap, Why extends Refusal = Refusal> {
  token: () => string | null;
  /**
   * What is due, oldest first. What was counted, and is to be taken back, is a piece of its own. What is to be taken back
   * comes before the taps, of which one that counts once must not find it.
   */
  pieces: (most: number) => AsyncIterable<readonly Tap[]>;
  /** Notes that they may be counted from now on, sends those that still wait, and has their results settled. */
  send: (taps: readonly Tap[], token: string | null, settle: Settle<Tap, Why>) => Promise<void>;
  /**
   * Undoes its completion, and forgets it. If it was undone elsewhere, that is done; if it is refused, the person is told.
   * Where the service fails at this one alone, it may be left, and `pieces` throws why at its end.
   */
  undo: (tap: Tap, token: string | null) => Promise<void>;
  /** Forgets it, unless it is to be taken back. What was done already it has not recorded: nothing is taken back then. */
  counted: (tap: Tap, completionId: string, isDoneAlready: boolean) => Promise<unknown>;
  /** It is due once more. */
  again: (tap: Tap, countsOnArrival: boolean) => Promise<unknown>;
  /** Keeps why, for the person. What is to be taken back is forgotten: it was not counted. */
  refuse: (tap: Tap, why: Why) => Promise<unknown>;
  /** Nothing was done, and the same would be refused again: not for want of a log-in. */
  isRefusal: (error: unknown) => error is Why;
  /** Answers whether to try again. */
  failed: (error: Failure) => boolean;
  /** While nobody else does it, as far as that is possible; not at all once it is closed. */
  alone: (work: () => Promise<void>) => Promise<void>;
}

/** As the service takes it. */
export function inputOf(tap: DueTap, clock: ServiceClock) {
  const { key, taskId, amount, note, once, at, countsOnArrival } = tap;
  const done = { taskId, idempotencyKey: key, amount, note, ...(once && { once }) };
  return countsOnArrival ? done : { ...done, at: new Date(clock.momentOf(at)).toISOString() };
}

/** Whatever was thrown. */
export interface Failure {
  /** In seconds. */
  retryAfter?: number | null;
}

/** Returns what sends all that waits, until the service has said what became of it. */
export function senderOf<Tap extends DueTap, Why extends Refusal>(
  outbox: Outbox<Tap, Why>,
  clock: ServiceClock,
): () => Promise<void> {
  const backoff = backoffOf(1_000, 30_000);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let next: Promise<void> | undefined;
  let latest: Promise<void> | undefined;

  /** One after the other: two at once would send the same, and one might count anew what the other has taken back. */
  const send = () => {
    next ??= latest = (latest ?? Promise.resolve()).catch(() => {}).then(() => outbox.alone(sendAll));
    return next;
  };

  async function sendAll(): Promise<void> {
    clearTimeout(timer);
    next = undefined; // what is tapped from now on may not be among what is sent
    try {
      const token = outbox.token();
      for await (const taps of outbox.pieces(TOGETHER)) {
        if (outbox.token() !== token) return; // somebody else has logged in: it goes on waiting
        await sendPiece(taps, token);
        if (!taps[0]?.completionId) backoff.reset(); // what is to be taken back may be left to be tried again
      }
      backoff.reset();
    } catch (error) {
      if (!outbox.failed(error as Failure)) return;
      timer = setTimeout(() => send().catch(() => {}), backoff.next((error as Failure).retryAfter));
      (timer as { unref?: () => void }).unref?.(); // a script may end: what waits is kept
    }
  }

  async function sendPiece(taps: readonly Tap[], token: string | null): Promise<void> {
    const [first, another] = taps;
    const ahead = clock.ahead();
    const settle: Settle<Tap, Why> = (tap, result) => {
      const { completion, error } = result;
      if (completion) return outbox.counted(tap, completion.id, result.isDoneAlready);
      // This device's clock was set since it was last compared: what was in the future is sent again.
      const isClockNews = Math.abs(clock.ahead() - ahead) > CLOCK_NEWS;
      const isOfClocks = OF_CLOCKS.test(error.reason) && !tap.countsOnArrival;
      return isOfClocks && (isClockNews || clock.now() - clock.momentOf(tap.at) < JUST_NOW)
        ? outbox.again(tap, !isClockNews)
        : outbox.refuse(tap, error);
    };
    try {
      await (first?.completionId ? outbox.undo(first, token) : outbox.send(taps, token, settle));
    } catch (error) {
      if (!outbox.isRefusal(error)) throw error;
      // All are refused where one of them cannot be read.
      for (const tap of taps) await (another ? sendPiece([tap], token) : outbox.refuse(tap, error));
    }
  }

  return send;
}
