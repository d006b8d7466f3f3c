import { useState } from 'preact/hooks';
import { changed, createTask, inputOf, type ScheduleInput, type TaskInput, updateTask } from './changes.js';
import { codeOf, nameOf, shortName, WEEKDAYS, weekFrom } from './days.js';
import { closeDialog } from './dialog.js';
import { Checkbox, Field, Form, Select, textOf } from './form.js';
import { t } from './language.js';
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
  ...(['', 'RED', 'ORANGE', 'AMBER', 'LIME', 'GREEN', 'TEAL'] as const),
  ...(['CYAN', 'BLUE', 'INDIGO', 'VIOLET', 'PINK', 'GREY'] as const),
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
    <Form action={save} submit={t.common.save}>
      <Field id="task.title" label={t.form.title} value={task?.title ?? ''} required maxlength={500} />
      {user && <When schedule={task?.schedule ?? null} user={user} />}
      <TargetFields target={task?.target ?? null} />
      <Colours chosen={task?.colour ?? null} />
      <div class="fields">
        <Field id="task.icon" label={t.form.icon} value={task?.icon ?? ''} hint={t.form.iconHint} />
        <Field
          id="task.points"
          label={t.form.points}
          type="number"
          value={task?.points ?? 10}
          required
          min={0.001}
          max={1_000_000_000}
          step={0.001}
        />
      </div>
      <Field id="task.tags" label={t.form.tags} value={task?.tags.join(', ') ?? ''} hint={t.form.tagsHint} />
      <Field
        id="task.description"
        label={t.common.optional(t.form.about)}
        value={task?.description ?? ''}
        maxlength={10_000}
        rows={2}
      />
      {!task && template && (
        <Checkbox
          name="challenge"
          label={t.form.countsFor(template.title)}
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
  const chosen = data.getAll('weekdays') as Weekday[];
  return { weekdays: kind === 'weekdays' ? WEEKDAYS.filter((each) => chosen.includes(each)) : [...WEEKDAYS] };
}

function kindOf(schedule: Schedule | null): keyof typeof t.form.kinds {
  if (!schedule || schedule.weekdays?.length === 7) return 'day';
  if (schedule.weekdays) return 'weekdays';
  return schedule.every ? 'every' : (schedule.per ?? 'WEEK');
}

/** When it is due. */
function When({ schedule, user }: { schedule: Schedule | null; user: User }) {
  const [kind, setKind] = useState<string>(kindOf(schedule));
  return (
    <>
      <Select id="task.schedule" label={t.form.when} value={kind} options={t.form.kinds} onChange={setKind} />
      {kind === 'weekdays' && <Weekdays chosen={schedule?.weekdays ?? []} user={user} />}
      {kind === 'every' && (
        <Field
          id="task.every"
          label={t.form.everyHowMany}
          type="number"
          value={schedule?.every ?? 2}
          min={2}
          max={365}
          required
          hint={t.form.everyHint}
        />
      )}
      {(kind === 'WEEK' || kind === 'MONTH') && (
        <Field
          key={kind}
          id="task.times"
          label={t.form.howMany[kind]}
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
  const isChosen = (day: Weekday) =>
    chosen.length === 0 ? day === codeOf(user.today) : chosen.includes(day);
  return (
    <fieldset class="weekdays">
      <legend>{t.form.onWhich}</legend>
      {weekFrom(user.weekStartsOn).map((day) => (
        <label key={day}>
          <input
            type="checkbox"
            name="weekdays"
            value={day}
            defaultChecked={isChosen(day)}
            aria-label={nameOf(day)}
          />
          <span aria-hidden="true">{shortName(day).slice(0, 3)}</span>
        </label>
      ))}
    </fieldset>
  );
}

function TargetFields({ target }: { target: Target | null }) {
  const [hasTarget, setTarget] = useState(target !== null);
  return (
    <>
      <Checkbox name="hasTarget" label={t.form.withTarget} checked={hasTarget} onChange={setTarget} />
      {hasTarget && (
        <div class="fields">
          <Field
            id="task.amount"
            label={t.form.amount}
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
            label={t.form.unit}
            placeholder={t.form.unitExample}
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
    <legend>{t.form.colour}</legend>
    {COLOURS.map((colour) => (
      <label key={colour} class={colour && `colour-${colour.toLowerCase()}`}>
        <input
          type="radio"
          name="colour"
          value={colour}
          defaultChecked={colour === (chosen ?? '')}
          aria-label={colour ? t.form.colours[colour] : t.form.noColour}
        />
        <span aria-hidden="true" />
      </label>
    ))}
  </fieldset>
);
