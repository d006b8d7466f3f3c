import { momentOf } from './clock.js';
import { dateInWords, dayAt, timeIn } from './days.js';
import { isOnDevice } from './kept.js';
import { isLogInKept } from './session.js';
import { type State, set } from './store.js';
import { countToday, drop, retry } from './taps.js';
import type { Tap, Zone } from './types.js';
import { counted } from './words.js';

/** What the person should know or decide. */
export function Notices({ state }: { state: State }) {
  const { taps, isOnline, screen } = state;
  const refused = taps.filter(({ refusal }) => refusal);
  return (
    <>
      {!isOnline && <p class="notice">{offline(taps)}</p>}
      {!(isOnDevice() && isLogInKept()) && <p class="notice">{forgetful()}</p>}
      <Problem problem={state.problem} />
      {screen && refused.map((tap) => <Question key={tap.key} tap={tap} zone={screen.user} />)}
    </>
  );
}

export const Problem = ({ problem }: { problem: string }) =>
  problem && (
    <div class="notice">
      <p>{problem}</p>
      <button type="button" class="quiet" onClick={() => set({ problem: '' })}>
        Close
      </button>
    </div>
  );

/** For browsers that are told to keep nothing, or have no room. */
function forgetful(): string {
  const taps = isOnDevice() ? '' : ' Taps cannot wait: what is not saved is lost when this page is closed.';
  const logIn = isLogInKept() ? '' : ' You log in each time.';
  return `This browser keeps nothing.${taps}${logIn}`;
}

export function offline(taps: readonly Tap[]): string {
  const waiting = taps.filter(({ refusal }) => !refusal).length;
  if (waiting === 0) return 'No connection. This is how it was when it was last read.';
  const place = isOnDevice() ? ', kept on this device' : '';
  return `No connection. ${counted(waiting, 'tap')} waiting for the network${place}.`;
}

/** Why a tap was not counted. */
export const refusalOf = ({ refusal }: Tap): string =>
  refusal?.reason === 'TOO_LATE'
    ? 'refused. It was too long ago to be counted for its day. Shall it count for today?'
    : `refused. ${refusal?.message}.`;

function Question({ tap, zone }: { tap: Tap; zone: Zone }) {
  const at = momentOf(tap.at);
  const when = `${dateInWords(dayAt(at, zone))}, ${timeIn(at, zone.timeZone)}`;
  const isTooLate = tap.refusal?.reason === 'TOO_LATE';
  return (
    <fieldset class="notice">
      <legend class="hidden">Refused: {tap.title}</legend>
      <p>
        <strong>{tap.title}</strong>, {when}: {refusalOf(tap)}
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
