import { reasonOf } from '../sync/api.js';
import { isOnDevice } from '../sync/storage.js';
import { knownIn, type NO_NOTICE, type State, set } from '../sync/store.js';
import { undo } from '../sync/taps.js';
import type { Tap, User } from '../sync/types.js';
import { dateInWords, isIn } from '../today/days.js';
import { accountOf, standingOf } from '../today/standing.js';
import { Button } from '../ui/button.js';
import { Sparks } from '../ui/icons.js';
import { t } from '../ui/language.js';
import { isLogInKept } from './session.js';

/** What the person should know or decide. */
export function Notices({ state }: { state: State }) {
  const { screen } = state;
  return (
    <>
      {!(isOnDevice() && isLogInKept()) && <p class="notice">{forgetful()}</p>}
      {screen && <Resting user={screen.user} />}
    </>
  );
}

interface NoticeProps {
  of: keyof typeof NO_NOTICE;
  state: State;
  /** It goes by itself, and with the next tap. */
  isPassing?: boolean;
}

export function NoticeText({ of, state, isPassing }: NoticeProps) {
  const notice = state[of];
  if (!notice) return null;
  const { text, isGood, isJoy, undo } = notice;
  const close = () => set({ [of]: null });
  return (
    <div class={`notice${isGood ? ' good' : ''}${isJoy ? ' all-done joy' : ''}`}>
      {isJoy && <Sparks />}
      <p>{text}</p>
      {undo && (
        <Button
          act={() => {
            close();
            return undo.act();
          }}
        >
          {undo.words}
        </Button>
      )}
      {!isPassing && <Button act={close}>{t.common.close}</Button>}
    </div>
  );
}

/** While everything is paused. */
function Resting({ user: { pauses, today } }: { user: User }) {
  const current = pauses.find((each) => isIn(each, today));
  if (!current) return null;
  const end = async () => (await import('../sync/changes.js')).endPause(current, today);
  return (
    <div class="notice good">
      <p>{current.until ? t.notices.onVacationUntil(dateInWords(current.until)) : t.notices.onVacation}</p>
      <Button act={end}>{t.notices.endToday}</Button>
    </div>
  );
}

/** For browsers that are told to keep nothing, or have no room. */
function forgetful(): string {
  const taps = !isOnDevice() && t.notices.cannotWait;
  const logIn = !isLogInKept() && t.notices.logInEachTime;
  return [t.notices.keepsNothing, taps, logIn].filter(Boolean).join(' ');
}

export function offline(taps: readonly Tap[]): string {
  const waiting = taps.filter(({ refusal }) => !refusal).length;
  if (waiting === 0) return t.notices.old;
  return isOnDevice() ? t.notices.waitingHere(waiting) : t.notices.waiting(waiting);
}

export const isLate = ({ refusal }: Tap) => refusal?.reason === 'TOO_LONG_AGO';

/** Why a tap was not counted. */
export const refusalOf = (tap: Tap): string =>
  isLate(tap)
    ? t.notices.refusedLate
    : t.notices.refused(tap.refusal ? reasonOf(tap.refusal.reason, tap.refusal.message) : '');

/** What was told last; else, that there is no connection. */
export function Said({ state }: { state: State }) {
  if (state.notice) return <NoticeText of="notice" state={state} isPassing />;
  return toastIn(state) ?? (state.isOnline ? null : <p class="notice offline">{offline(state.taps)}</p>);
}

/** What became of the latest tap, and the way back. */
function toastIn(state: State) {
  const { screen, toast } = state;
  const task = screen?.tasks.find(({ id }) => id === toast?.taskId);
  if (!screen || !toast || !task) return null;
  const standing = standingOf(task, toast.day, knownIn(state, screen));
  return (
    <div class="toast" data-of={task.id}>
      <p>{t.said(task.title, accountOf(task, standing, standing.word))}</p>
      <Button kind="link" act={() => undo(task, toast.day)}>
        {t.common.undo}
      </Button>
    </div>
  );
}
