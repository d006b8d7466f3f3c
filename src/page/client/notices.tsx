import { Button } from './button.js';
import { endPause } from './changes.js';
import { momentOf } from './clock.js';
import { counted, dateInWords, dayAt, isIn, later, timeIn } from './days.js';
import { isLogInKept } from './session.js';
import { progressOf, standingOf } from './standing.js';
import { isOnDevice } from './storage.js';
import { knownIn, type Notice, type State, set } from './store.js';
import { drop, sendAgain, undo } from './taps.js';
import type { Tap, User, Zone } from './types.js';

/** What the person should know or decide. */
export function Notices({ state }: { state: State }) {
  const { taps, isOnline, screen } = state;
  const refused = taps.filter(({ refusal }) => refusal);
  const questions = [refused.filter(isLate), ...refused.flatMap((tap) => (isLate(tap) ? [] : [[tap]]))];
  return (
    <>
      {!isOnline && <p class="notice">{offline(taps)}</p>}
      {!(isOnDevice() && isLogInKept()) && <p class="notice">{forgetful()}</p>}
      {!state.dialog && <NoticeText notice={state.notice} />}
      {screen && <Resting user={screen.user} />}
      {screen && questions.map((asked) => <Question key={asked[0]?.key} taps={asked} zone={screen.user} />)}
    </>
  );
}

export const NoticeText = ({ notice }: { notice: Notice | null }) =>
  notice && (
    <div class={notice.isGood ? 'notice good' : 'notice'}>
      <p>{notice.text}</p>
      <Button act={() => set({ notice: null })}>Close</Button>
    </div>
  );

/** While everything is paused. */
function Resting({ user: { pauses, today } }: { user: User }) {
  const current = pauses.find((each) => isIn(each, today));
  if (!current) return null;
  return (
    <div class="notice good">
      <p>On vacation{current.until && ` until ${dateInWords(current.until)}`}: everything rests.</p>
      <Button act={() => endPause(current.id, later(today, -1))}>End it today</Button>
    </div>
  );
}

/** For browsers that are told to keep nothing, or have no room. */
function forgetful(): string {
  const taps = isOnDevice() ? '' : ' Taps cannot wait: what is not saved is lost when this page is closed.';
  const logIn = isLogInKept() ? '' : ' You log in each time.';
  return `This browser keeps nothing.${taps}${logIn}`;
}

export function offline(taps: readonly Tap[]): string {
  const waiting = taps.filter(({ refusal }) => !refusal).length;
  if (waiting === 0) return 'No connection. This was known before.';
  const place = isOnDevice() ? ', kept on this device' : '';
  return `No connection. ${counted(waiting, 'tap')} waiting for the network${place}.`;
}

const isLate = ({ refusal }: Tap) => refusal?.reason === 'TOO_LATE';

/** Why a tap was not counted. */
export const refusalOf = (tap: Tap): string =>
  isLate(tap)
    ? 'refused. That was too long ago. Shall it count for today?'
    : `refused. ${tap.refusal?.message}.`;

/** Taps that were refused for one reason: all that are too late are asked about at once. */
function Question({ taps, zone }: { taps: readonly Tap[]; zone: Zone }) {
  const [tap] = taps;
  if (!tap) return null;
  const it = taps[1] ? 'them' : 'it';
  const title = taps[1] ? counted(taps.length, 'tap') : tap.title;
  return (
    <fieldset class="notice">
      <legend class="hidden">Refused: {title}</legend>
      {taps.map((each) => {
        const at = momentOf(each.at);
        return (
          <p key={each.key}>
            <strong>{each.title}</strong>, {dateInWords(dayAt(at, zone))}, {timeIn(at, zone.timeZone)}
          </p>
        );
      })}
      <p>{refusalOf(tap)}</p>
      <div class="buttons">
        {isLate(tap) ? (
          <Button kind="primary" act={() => sendAgain(taps, { countsOnArrival: true })}>
            Count {it} today
          </Button>
        ) : (
          <Button act={() => sendAgain(taps)}>Try again</Button>
        )}
        <Button act={() => drop(taps)}>Forget {it}</Button>
      </div>
    </fieldset>
  );
}

/** What became of the latest tap, and the way back. */
export function Toast({ state }: { state: State }) {
  const { screen, toast } = state;
  const task = screen?.tasks.find(({ id }) => id === toast?.taskId);
  if (!screen || !toast || !task) return null;
  const standing = standingOf(task, toast.day, knownIn(state, screen));
  return (
    <div class="toast">
      <p>
        {task.title}: {[progressOf(task, standing), standing.words].filter(Boolean).join(', ')}
      </p>
      <Button kind="link" act={() => undo(task, toast.day)}>
        Undo
      </Button>
    </div>
  );
}
