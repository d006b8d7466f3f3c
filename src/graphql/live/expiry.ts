import type { Clock } from '../../clock.js';
import type { Caller } from '../../request.js';
import type { LiveSettings } from './settings.js';

/** The limit of timers, about 25 days; a token lives for 30. */
const MAX_DELAY = 2 ** 31 - 1;

/** Calls `act` when the clock reaches `instant`. Returns a function that cancels it. */
export function callAt(instant: Date, clock: Clock, act: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = () => {
    const left = instant.getTime() - clock.now().getTime();
    timer = left > MAX_DELAY ? setTimeout(wait, MAX_DELAY) : setTimeout(act, Math.max(left, 0));
    timer.unref();
  };
  wait();
  return () => clearTimeout(timer);
}

/** Calls `end` when the caller's token expires or is taken back. Returns a function that cancels it. */
export function endWith(
  caller: Caller,
  { clock, watch }: Pick<LiveSettings, 'clock' | 'watch'>,
  end: () => void,
): () => void {
  const cancelExpiry = caller.expiresAt ? callAt(caller.expiresAt, clock, end) : () => {};
  const unwatch = watch(caller, end);
  return () => {
    cancelExpiry();
    unwatch();
  };
}
