import type { Channel } from './channel.entity.js';

/** What a person is told. */
export interface Notice {
  /** It stays for all tries, so that a receiver shows it once. */
  id: string;
  title: string;
  text: string;
  /** The icon and the colour of the habit, if the message names a single one. */
  icon?: string | null | undefined;
  colour?: string | null | undefined;
  /** As in HTML. */
  language: string;
  /** What is opened by a tap; undefined where the service does not know its own address. */
  url?: string | undefined;
  /** Where one habit is named: what completes it, and the word for that. */
  done?: { url: string; label: string } | undefined;
  /** The habits that it names. */
  taskIds: number[];
  /** The user's day. */
  day: string;
}

/**
 * `error` is for the user, `cause` for the operator, where that is more. `ended`: the receiver is gone for good. `again`:
 * whether another try may help and can do no harm.
 */
export type Delivery =
  | { taken: true }
  | { taken: false; error: string; cause?: string; ended?: boolean; again: boolean };

export type Receiver = Pick<Channel, 'address' | 'p256dh' | 'auth' | 'token'>;

/** A way of sending. */
export interface Sender {
  /** Whether a repetition would be seen: then a message is sent at most once, and else at least once. */
  readonly sendsOnce?: boolean;
  /** Whether it passes messages on to hosts that users choose: then its slowness is that of one user. */
  readonly reachesAnyHost?: boolean;
  send(receiver: Receiver, notice: Notice): Promise<Delivery>;
  /** Takes a message off the screens that show it; undefined where that is not possible. */
  dismiss?(receiver: Receiver, id: string): Promise<void>;
}

export const refused = (status: number): string => `The receiver answered ${status}`;

export const isTaken = (status: number): boolean => status >= 200 && status < 300;
