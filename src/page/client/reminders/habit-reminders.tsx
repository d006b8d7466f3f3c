import { useState } from 'preact/hooks';
import { openHabitReminders, openReminders } from '../shell/views.js';
import { updateTask } from '../sync/changes.js';
import { type State, tell } from '../sync/store.js';
import type { Reminder, Task, Weekday } from '../sync/types.js';
import { timeIn, WEEKDAYS } from '../today/days.js';
import { useAnswer, Waiting } from '../ui/answer.js';
import { Button } from '../ui/button.js';
import { thenClose } from '../ui/dialog.js';
import { Field, Form, textOf } from '../ui/form.js';
import { t } from '../ui/language.js';
import { inWords, words } from '../ui/later-words.js';
import { Weekdays } from '../ui/weekdays.js';
import { isGoing, readReminders, readTimes } from './reminders.js';

const MOST = 5;

/** The hour of a first reminder. */
const FIRST = { at: '08:00', weekdays: [...WEEKDAYS] };

/** Asks whoever has made a first habit. */
export async function offerReminder(task: Task): Promise<void> {
  await inWords(null);
  const text = words.first(task.title, timeIn(Date.parse(`1970-01-01T${FIRST.at}Z`), 'UTC'));
  tell(text, true, { undo: { words: t.menu.remind, act: () => openHabitReminders(task) } });
}

/** When a habit rings, on its own. */
export function HabitReminders({ id, state: { screen } }: { id: string; state: State }) {
  const [given] = useAnswer(() => timesOf(id));
  const save = async (data: FormData) => {
    const reminders = enteredReminders(data);
    await thenClose(() => updateTask(id, reminders ? { reminders } : null));
    if (reminders?.length) await leadToChannels();
  };
  if (!screen) return null;
  if (!given) return <Waiting />;
  return (
    <Form action={save} submit={t.common.save}>
      <KnownTimes given={given} weekStartsOn={screen.user.weekStartsOn} isAsked />
    </Form>
  );
}

/** A reminder needs somewhere to go. */
export async function leadToChannels(): Promise<void> {
  const { me } = await readReminders();
  if (me.channels.some(isGoing)) return;
  await openReminders();
  tell(words.saved, true);
}

/** A habit that is not made yet has none. */
const timesOf = async (id: string | null) => (id ? readTimes(id) : []);

/** The times at which a habit rings, each with its weekdays, as a part of a form. */
export function Times({ id, weekStartsOn }: { id: string | null; weekStartsOn: Weekday }) {
  const [given] = useAnswer(() => timesOf(id));
  if (!given) return <Waiting />;
  return <KnownTimes given={given} weekStartsOn={weekStartsOn} />;
}

interface KnownTimesProps {
  given: Reminder[];
  weekStartsOn: Weekday;
  /** Whether it was opened for a reminder, so that one is proposed where there is none. */
  isAsked?: boolean;
}

function KnownTimes({ given, weekStartsOn, isAsked }: KnownTimesProps) {
  const proposed = isAsked && given.length === 0 ? [FIRST] : given;
  const [times, setTimes] = useState(() => proposed.map((each, key) => ({ key, ...each })));
  const add = () => setTimes([...times, { ...FIRST, key: 1 + Math.max(-1, ...times.map(({ key }) => key)) }]);
  return (
    <>
      <input type="hidden" name="reminders" value={JSON.stringify(given)} />
      <p class="about">{words.silent}</p>
      {times.map(({ key, at, weekdays }) => (
        <div key={key}>
          <Field id={`reminder.at-${key}`} label={words.time} type="time" value={at} required />
          <Weekdays
            name={`days-${key}`}
            isChosen={(day) => weekdays.includes(day)}
            weekStartsOn={weekStartsOn}
            isTold
          />
          <Button kind="quiet on-column" act={() => setTimes(times.filter((each) => each.key !== key))}>
            {words.removeTime}
          </Button>
        </div>
      ))}
      {times.length < MOST && (
        <Button kind="quiet on-column" act={add}>
          {words.addTime}
        </Button>
      )}
    </>
  );
}

/** It is undefined where nothing was changed, or the times were not read before the form was sent. */
export function enteredReminders(data: FormData): Reminder[] | undefined {
  if (!data.has('reminders')) return undefined;
  const keys = [...data.keys()].flatMap((name) => (name.startsWith('at-') ? [name.slice(3)] : []));
  const entered = keys.map((key) => {
    const days = data.getAll(`days-${key}`);
    return { at: textOf(data, `at-${key}`), weekdays: WEEKDAYS.filter((day) => days.includes(day)) };
  });
  const each = new Map(entered.map((reminder) => [JSON.stringify(reminder), reminder]));
  const reminders = [...each.values()];
  return JSON.stringify(reminders) === textOf(data, 'reminders') ? undefined : reminders;
}
