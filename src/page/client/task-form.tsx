import { useState } from 'preact/hooks';
import { changed, createTask, inputOf, type ScheduleInput, type TaskInput, updateTask } from './changes.js';
import { codeOf, WEEKDAYS, weekdayOf } from './days.js';
import { closeDialog } from './dialog.js';
import { Checkbox, Field, Form, Select, textOf } from './form.js';
import type { State } from './store.js';
import { newKey } from './taps.js';
import type { Period, Schedule, Target, Task, User, Weekday } from './types.js';

interface Props {
  task: Task | null;
  /** Of the challenge that the habit is made for. */
  templateId: string | null;
  state: State;
}

const COLOURS = [
  ...['RED', 'ORANGE', 'AMBER', 'LIME', 'GREEN', 'TEAL'],
  ...['CYAN', 'BLUE', 'INDIGO', 'VIOLET', 'PINK', 'GREY'],
];

export function TaskForm({ task, templateId, state }: Props) {
  const [idempotencyKey] = useState(newKey); // saved again it is the same habit
  const { user } = state.screen ?? {};
  const template = user?.activeChallenge?.template;
  const save = async (data: FormData) => {
    const input = entered(data);
    const linked = data.has('challenge') ? template?.id : undefined;
    if (task) await updateTask(task.id, changed(inputOf(task), input));
    else await createTask(input, `${idempotencyKey}-${linked}`, linked);
    closeDialog();
  };
  return (
    <Form action={save} submit="Save">
      <Field
        id="task.title"
        label="What do you want to do?"
        value={task?.title ?? ''}
        required
        maxlength={500}
      />
      {user && <When schedule={task?.schedule ?? null} user={user} />}
      <TargetFields target={task?.target ?? null} />
      <Colours chosen={task?.colour ?? null} />
      <div class="fields">
        <Field id="task.icon" label="Icon" value={task?.icon ?? ''} hint="One emoji." />
        <Field
          id="task.points"
          label="Points each time"
          type="number"
          value={task?.points ?? 10}
          required
          min={0.001}
          max={1_000_000_000}
          step={0.001}
        />
      </div>
      <Field
        id="task.tags"
        label="Tags"
        value={task?.tags.join(', ') ?? ''}
        hint="With commas in between, such as health, morning."
      />
      <Field
        id="task.description"
        label="About it (optional)"
        value={task?.description ?? ''}
        maxlength={10_000}
        rows={2}
      />
      {!task && template && (
        <Checkbox
          name="challenge"
          label={`Counts for “${template.title}”`}
          checked={templateId === template.id}
        />
      )}
    </Form>
  );
}

function entered(data: FormData): TaskInput {
  const text = (name: string) => textOf(data, name).trim();
  return {
    title: textOf(data, 'title'),
    points: Number(text('points')),
    description: text('description') || null,
    schedule: enteredSchedule(data),
    target: data.has('hasTarget') ? { amount: Number(text('amount')), unit: text('unit') } : null,
    colour: text('colour') || null,
    icon: text('icon') || null,
    tags: text('tags')
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
  };
}

function enteredSchedule(data: FormData): ScheduleInput {
  const kind = textOf(data, 'schedule');
  if (kind === 'every') return { every: Number(textOf(data, 'every')) };
  if (kind === 'WEEK' || kind === 'MONTH')
    return { times: { times: Number(textOf(data, 'times')), per: kind as Period } };
  const all = WEEKDAYS.map((_name, index) => codeOf(index));
  const chosen = data.getAll('weekdays') as Weekday[];
  return { weekdays: kind === 'weekdays' ? all.filter((each) => chosen.includes(each)) : all };
}

const KINDS = {
  day: 'Every day',
  weekdays: 'On some weekdays',
  every: 'Every few days',
  WEEK: 'Some times a week',
  MONTH: 'Some times a month',
};

function kindOf(schedule: Schedule | null): keyof typeof KINDS {
  if (!schedule || schedule.weekdays?.length === 7) return 'day';
  if (schedule.weekdays) return 'weekdays';
  return schedule.every ? 'every' : (schedule.per ?? 'WEEK');
}

/** When it is due. */
function When({ schedule, user }: { schedule: Schedule | null; user: User }) {
  const [kind, setKind] = useState<string>(kindOf(schedule));
  return (
    <>
      <Select id="task.schedule" label="When" value={kind} options={KINDS} onChange={setKind} />
      {kind === 'weekdays' && <Weekdays chosen={schedule?.weekdays ?? []} user={user} />}
      {kind === 'every' && (
        <Field
          id="task.every"
          label="Every how many days?"
          type="number"
          value={schedule?.every ?? 2}
          min={2}
          max={365}
          required
          hint="Counted from the last time it was done."
        />
      )}
      {(kind === 'WEEK' || kind === 'MONTH') && (
        <Field
          key={kind}
          id="task.times"
          label={`How many days a ${kind.toLowerCase()}?`}
          type="number"
          value={(schedule?.per === kind && schedule.times) || 1}
          min={1}
          max={kind === 'WEEK' ? 7 : 31}
          required
        />
      )}
    </>
  );
}

function Weekdays({ chosen, user }: { chosen: readonly Weekday[]; user: User }) {
  const first = WEEKDAYS.findIndex((_name, index) => codeOf(index) === user.weekStartsOn);
  const days = WEEKDAYS.map((_name, index) => (first + index) % 7);
  const isChosen = (day: number) =>
    chosen.length === 0 ? day === weekdayOf(user.today) : chosen.includes(codeOf(day));
  return (
    <fieldset class="weekdays">
      <legend>On which?</legend>
      {days.map((day) => (
        <label key={day}>
          <input
            type="checkbox"
            name="weekdays"
            value={codeOf(day)}
            defaultChecked={isChosen(day)}
            aria-label={WEEKDAYS[day]}
          />
          <span aria-hidden="true">{WEEKDAYS[day]?.slice(0, 2)}</span>
        </label>
      ))}
    </fieldset>
  );
}

function TargetFields({ target }: { target: Target | null }) {
  const [hasTarget, setTarget] = useState(target !== null);
  return (
    <>
      <Checkbox name="hasTarget" label="With a target for the day" checked={hasTarget} onChange={setTarget} />
      {hasTarget && (
        <div class="fields">
          <Field
            id="task.amount"
            label="How many"
            type="number"
            inputMode="decimal"
            value={target?.amount ?? ''}
            min={0.001}
            max={1_000_000_000}
            step={0.001}
            required
          />
          <Field
            id="task.unit"
            label="Of what"
            placeholder="glasses"
            value={target?.unit ?? ''}
            required
            maxlength={30}
          />
        </div>
      )}
    </>
  );
}

const Colours = ({ chosen }: { chosen: string | null }) => (
  <fieldset class="colours">
    <legend>Colour</legend>
    {['', ...COLOURS].map((colour) => (
      <label key={colour} class={colour && `colour-${colour.toLowerCase()}`}>
        <input
          type="radio"
          name="colour"
          value={colour}
          defaultChecked={colour === (chosen ?? '')}
          aria-label={colour ? colour.toLowerCase() : 'none'}
        />
        <span aria-hidden="true" />
      </label>
    ))}
  </fieldset>
);
