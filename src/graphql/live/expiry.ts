import type { Clock } from '../../clock.js';

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
