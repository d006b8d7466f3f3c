import { momentOf } from './clock.js';
import { dateInWords, dayAt, timeIn } from './days.js';
import { isOnDevice } from './kept.js';
import { type State, set } from './store.js';
import { countToday, drop, retry } from './taps.js';
import type { Tap, Zone } from './types.js';

/** What the person should know or decide. */
export function Notices({ state }: { state: State }) {
  const { taps, isOnline, problem, screen } = state;
  const waiting = taps.filter(({ refusal }) => !refusal).length;
  const refused = taps.filter(({ refusal }) => refusal);
  return (
    <>
      <p role="status" class={isOnline ? 'hidden' : 'notice'}>
        {isOnline ? '' : offline(waiting)}
      </p>
      {problem && (
        <div class="notice" role="alert">
          <p>{problem}</p>
          <button type="button" class="quiet" onClick={() => set({ problem: '' })}>
            Close
          </button>
        </div>
      )}
      {screen && refused.map((tap) => <Question key={tap.key} tap={tap} zone={screen.user} />)}
    </>
  );
}

function offline(waiting: number): string {
  if (waiting === 0) return 'No connection. This is how it was when it was last read.';
  const taps = waiting === 1 ? '1 tap is' : `${waiting} taps are`;
  const place = isOnDevice()
    ? 'kept on this device'
    : 'lost if this page is closed: this browser keeps nothing';
  return `No connection. ${taps} waiting for the network, and ${place}.`;
}

function Question({ tap, zone }: { tap: Tap; zone: Zone }) {
  const at = momentOf(tap.at);
  const when = `${dateInWords(dayAt(at, zone))}, ${timeIn(at, zone.timeZone)}`;
  const isTooLate = tap.refusal?.reason === 'TOO_LATE';
  return (
    <fieldset class="notice">
      <legend class="hidden">Refused: {tap.title}</legend>
      <p>
        <strong>{tap.title}</strong>, {when}: refused.{' '}
        {isTooLate
          ? 'It was too long ago to be counted for its day. Shall it count for today?'
          : `${tap.refusal?.message}.`}
      </p>
      <div class="buttons">
        {isTooLate ? (
          <button type="button" class="primary" onClick={() => void countToday(tap)}>
            Count it today
          </button>
        ) : (
          <button type="button" class="quiet" onClick={() => void retry(tap)}>
            Try again
          </button>
        )}
        <button type="button" class="quiet" onClick={() => void drop(tap)}>
          Forget it
        </button>
      </div>
    </fieldset>
  );
}
