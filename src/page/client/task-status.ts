import { momentOf } from './clock.js';
import { dayAt } from './days.js';
import type { Tap, Task, Zone } from './types.js';

/** What became of the latest tap on a task. Nothing is `saved` before the service has said so. */
export type Status = 'open' | 'saving' | 'saved' | 'waiting' | 'refused';

export const statusWords = {
  open: 'not done today',
  saving: 'saving',
  saved: 'saved',
  waiting: 'waiting for the network',
  refused: 'refused',
} satisfies Record<Status, string>;

export interface Standing {
  status: Status;
  /** Today's, by the service. */
  saved: number;
  /** Today's taps that the service has not confirmed. */
  pending: number;
  words: string;
}

export interface Known {
  taps: readonly Tap[];
  isOnline: boolean;
  zone: Zone;
  today: string;
}

/** How a task stands today: what the service has confirmed, and what is still on its way. */
export function standingOf(task: Task, { taps, isOnline, zone, today }: Known): Standing {
  const own = taps.filter(({ taskId }) => taskId === task.id);
  const refused = own.find(({ refusal }) => refusal);
  const pending = own.filter(
    ({ refusal, isUndone, at, countsOnArrival }) =>
      !refusal && !isUndone && (countsOnArrival || dayAt(momentOf(at), zone) >= today),
  ).length;
  const saved = task.today.completions;
  const status = statusOf({ refused: Boolean(refused), pending, saved, isOnline });
  const onTheWay = pending > 0 ? `${numbered(pending)}${statusWords[isOnline ? 'saving' : 'waiting']}` : '';
  const confirmed = saved > 0 ? `${saved > 1 ? `${saved} times today, ` : ''}${statusWords.saved}` : '';
  const no = refused ? statusWords.refused : '';
  return { status, saved, pending, words: [no, onTheWay, confirmed].filter(Boolean).join(' · ') };
}

const numbered = (count: number) => (count > 1 ? `${count} ` : '');

interface Facts {
  refused: boolean;
  pending: number;
  saved: number;
  isOnline: boolean;
}

function statusOf({ refused, pending, saved, isOnline }: Facts): Status {
  if (pending > 0) return isOnline ? 'saving' : 'waiting';
  if (refused) return 'refused';
  return saved > 0 ? 'saved' : 'open';
}
