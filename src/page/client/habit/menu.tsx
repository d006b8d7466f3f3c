import { openCheckInLinks, openEntry, openHabit, openHabitReminders, openTaskForm } from '../shell/views.js';
import { archiveTask, deleteTask, endPause } from '../sync/changes.js';
import { knownIn, type State } from '../sync/store.js';
import { undo } from '../sync/taps.js';
import type { Task } from '../sync/types.js';
import { isIn, shortDate, spanOf } from '../today/days.js';
import { dayOf, progressOf, type Standing, standingOf } from '../today/standing.js';
import { canBeTimed, startTimer } from '../today/timer.js';
import { Button } from '../ui/button.js';
import { open, thenClose } from '../ui/dialog.js';
import { Field, Form, textOf } from '../ui/form.js';
import { t } from '../ui/language.js';
import { PauseForm } from './pause-form.js';
import { skip, skipDay, skippingOf, unskip } from './skipping.js';

interface MenuProps {
  id: string;
  day: string;
  state: State;
}

/** What can be done with a habit on a day. */
export function Menu({ id, day, state }: MenuProps) {
  const { screen } = state;
  const task = screen?.tasks.find((each) => each.id === id);
  if (!screen || !task) return null;
  const { today } = screen.user;
  const standing = standingOf(task, day, knownIn(state, screen));
  const current = task.pauses.find((each) => isIn(each, today));
  const planned = task.pauses.filter(({ from }) => from > today);
  return (
    <>
      <p class="about">
        {[day !== today && shortDate(day), progressOf(task, standing)].filter(Boolean).join(' · ')}
      </p>
      <Acts task={task} day={day} isToday={day === today} standing={standing} />
      <div class="menu">
        {standing.state === 'SKIPPED' && (
          <Button act={() => open(t.menu.why, () => <SkipNote taskId={id} day={day} />)}>
            {t.menu.sayWhy}
          </Button>
        )}
        <Button act={() => openHabit(task)}>{t.menu.month}</Button>
        {screen.canRemind && <Button act={() => openHabitReminders(task)}>{t.menu.remind}</Button>}
        <Button act={() => openCheckInLinks(task)}>{t.menu.checkIn}</Button>
        {current ? (
          <Button act={then(() => endPause(current, today))}>{t.menu.endPause}</Button>
        ) : (
          <Button act={() => open(t.menu.pauseOf(task.title), () => <PauseForm taskId={id} today={today} />)}>
            {t.menu.pause}
          </Button>
        )}
        {planned.map((each) => (
          <Button key={each.id} act={() => endPause(each, today)}>
            {t.menu.cancelPause(spanOf(each))}
          </Button>
        ))}
        <Button act={() => openTaskForm(task)}>{t.common.edit}</Button>
        <Button act={then(() => archiveTask(task))}>{t.menu.archive}</Button>
        <Button kind="quiet danger" act={() => askToDelete(task)}>
          {t.menu.remove}
        </Button>
      </div>
    </>
  );
}

/** What fails stays to be chosen again, and the dialog says why. */
const then = (act: () => Promise<unknown>) => () => thenClose(act);

interface ActsProps {
  task: Task;
  day: string;
  isToday: boolean;
  standing: Standing;
}

/** What can be done every day. */
function Acts({ task, day, isToday, standing }: ActsProps) {
  const { isBegun, isSkipped, canSkip } = skippingOf(dayOf(task, day), standing.state);
  return (
    <div class="buttons acts">
      <Button kind="act" act={() => openEntry(task, day)}>
        {task.target ? t.menu.amountAndNote : t.common.note}
      </Button>
      {isToday && canBeTimed(task) && (
        <Button kind="act" act={then(async () => startTimer(task))}>
          {t.timer.start}
        </Button>
      )}
      {standing.saved + standing.pending > 0 && (
        <Button kind="act" act={then(() => undo(task, day))}>
          {t.common.undo}
        </Button>
      )}
      {isSkipped && (
        <Button kind="act" act={then(() => unskip(task, day, isBegun))}>
          {t.menu.unskip}
        </Button>
      )}
      {canSkip && !standing.isNeutral && standing.state !== 'REST' && (
        <Button kind="act" act={then(() => skip(task, day, isBegun))}>
          {isToday ? t.menu.skipToday : t.menu.skip(shortDate(day))}
        </Button>
      )}
    </div>
  );
}

/** It is shown among the notes of the day. */
function SkipNote({ taskId, day }: { taskId: string; day: string }) {
  const save = (data: FormData) => thenClose(() => skipDay(taskId, day, textOf(data, 'note').trim() || null));
  return (
    <Form action={save} submit={t.common.save}>
      <Field id="skip.note" label={t.common.note} rows={2} maxlength={1_000} />
    </Form>
  );
}

/** Not to be had back, so it says what goes. */
function askToDelete(task: Task): void {
  open(t.menu.removeOf(task.title), () => (
    <Form action={() => thenClose(() => deleteTask(task.id))} submit={t.menu.removeForGood} isDanger>
      <p>{t.menu.removeWarning}</p>
      <p>{t.menu.removeOrArchive}</p>
    </Form>
  ));
}
