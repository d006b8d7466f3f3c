import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { newKey } from '../../../../packages/client/src/key.js';
import { Later } from '../shell/later.js';
import {
  changed,
  createTask,
  inputOf,
  type ScheduleInput,
  type TaskInput,
  updateTask,
} from '../sync/changes.js';
import type { State } from '../sync/store.js';
import type { Period, Schedule, Target, Task, User, Weekday } from '../sync/types.js';
import { codeOf, WEEKDAYS } from '../today/days.js';
import { Starters } from '../today/today.js';
import { thenClose } from '../ui/dialog.js';
import { Amount, amountOf, Checkbox, Field, Form, Select, textOf } from '../ui/form.js';
import { t } from '../ui/language.js';
import { Weekdays } from '../ui/weekdays.js';
import { COLOURS } from './colours.js';

interface Props {
  task: Task | null;
  /** Of the challenge that the habit is made for. */
  templateId: string | null;
  state: State;
}

export function TaskForm({ task, templateId, state }: Props) {
  const [idempotencyKey] = useState(newKey); // saved again it is the same habit
  const [kind, setKind] = useState<string>(task?.target?.kind ?? 'AT_LEAST');
  const [per, setPer] = useState<string>(task?.target?.per ?? 'DAY');
  const chooseKind = (chosen: string) => {
    setKind(chosen);
    setPer('DAY'); // otherwise it would stay where nothing shows it
  };
  const isLimit = kind === 'AT_MOST';
  const { user } = state.screen ?? {};
  const template = user?.activeChallenge?.template;
  const save = async (data: FormData) => {
    const input = { ...entered(data), ...(await enteredReminders(data)) };
    const linked = data.has('challenge') ? template?.id : undefined;
    const keep = () => createTask(input, `${idempotencyKey}-${linked}`, linked);
    const change = () => task && updateTask(task.id, changed<TaskInput>(inputOf(task), input));
    const created = await thenClose(async () => (task ? change() : keep()));
    const isFirst = state.screen?.canRemind && state.screen.tasks.length === 0;
    if (input.reminders?.length) await (await import('../shell/later-views.js')).leadToChannels();
    else if (created && isFirst) await (await import('../shell/later-views.js')).offerReminder(created);
  };
  return (
    <div class="sticky">
      <Form action={save} submit={t.common.save}>
        {!task && !templateId && (
          <Fold title={t.form.ideas}>
            <Starters />
          </Fold>
        )}
        <Field
          id="task.title"
          label={isLimit ? t.form.limitTitle : t.form.title}
          value={task?.title ?? ''}
          required
          maxlength={500}
          dir="auto"
          autofocus
        />
        <Choice name="kind" chosen={kind} options={t.limits.kinds} onChange={chooseKind} />
        {isLimit && <TargetFields task={task} isLimit per={per} choosePer={setPer} />}
        {user && per === 'DAY' && <When task={task} user={user} isLimit={isLimit} />}
        <Icons chosen={task?.icon ?? null} />
        <Colours chosen={task?.colour ?? null} />
        {!isLimit && <TargetFields task={task} per={per} choosePer={setPer} />}
        {user && state.screen?.canRemind && <Reminders id={task?.id ?? null} user={user} />}
        <details class="fold">
          <summary>{t.form.more}</summary>
          <More task={task} sections={user?.sections ?? []} isLimit={isLimit} />
        </details>
        {!task && template && !isLimit && (
          <Checkbox
            name="challenge"
            label={t.form.countsFor(t.challenge.ofTemplate(template.title))}
            checked={templateId === template.id}
          />
        )}
      </Form>
    </div>
  );
}

/** What is loaded when it is looked at. */
function Fold({ title, children }: { title: string; children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="fold" onToggle={({ currentTarget }) => setOpen(isOpen || currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children}
    </details>
  );
}

/** When it rings. */
const Reminders = ({ id, user: { weekStartsOn } }: { id: string | null; user: User }) => (
  <Fold title={t.menu.remind}>
    <Later
      load={async () => (await import('../shell/later-views.js')).times()}
      props={{ id, weekStartsOn }}
    />
  </Fold>
);

async function enteredReminders(data: FormData): Promise<Pick<TaskInput, 'reminders'>> {
  if (!data.has('reminders')) return {};
  return { reminders: (await import('../shell/later-views.js')).enteredReminders(data) };
}

interface MoreProps {
  task: Task | null;
  sections: readonly string[];
  /** It earns nothing. */
  isLimit: boolean;
}

/** What few need. */
const More = ({ task, sections, isLimit }: MoreProps) => (
  <>
    <Field
      id="task.section"
      label={t.form.section}
      value={task?.section ?? ''}
      maxlength={30}
      list="task-sections"
      hint={t.form.sectionHint}
      autocomplete="off"
    />
    <datalist id="task-sections">
      {[...new Set([...sections, ...t.form.dayParts])].map((each) => (
        <option key={each} value={each} />
      ))}
    </datalist>
    <Field id="task.tags" label={t.list.tags} value={task?.tags.join(', ') ?? ''} hint={t.form.tagsHint} />
    {!isLimit && (
      <Field
        id="task.points"
        label={t.form.points}
        type="number"
        value={task?.points ?? 10}
        required
        min={0.001}
        max={1_000_000_000}
        step={0.001}
        hint={t.form.pointsHint}
      />
    )}
    <Field
      id="task.description"
      label={t.common.optional(t.form.about)}
      value={task?.description ?? ''}
      maxlength={10_000}
      rows={2}
    />
  </>
);

/** To choose from; any other emoji can be typed. */
const ICONS = [
  ...['💧', '🍎', '🥗', '💊', '😴', '🧘', '🏃', '🚶', '🚴', '🏋️', '🏊', '🤸'],
  ...['📖', '✍️', '🎸', '🎨', '🧠', '🗣️', '💻', '📵', '🧹', '🪴', '🐕', '📞'],
  ...['❤️', '🙏', '☀️', '🌙', '🦷', '🚿', '☕', '🚭', '🍬', '💰', '📝', '⭐'],
];

function Icons({ chosen }: { chosen: string | null }) {
  const [icon, setIcon] = useState(chosen ?? '');
  return (
    <details class="fold">
      <summary>
        {t.form.icon}{' '}
        <span aria-hidden="true" class="icon">
          {icon}
        </span>
      </summary>
      <fieldset class="icons">
        <legend class="hidden">{t.form.icon}</legend>
        {ICONS.map((each) => (
          <label key={each} class="icon">
            <input type="radio" name="chosenIcon" checked={each === icon} onChange={() => setIcon(each)} />
            {each}
          </label>
        ))}
      </fieldset>
      <p class="field">
        <label for="task.icon">{t.form.iconHint}</label>
        <input
          id="task.icon"
          name="icon"
          class="icon"
          value={icon}
          onInput={({ currentTarget }) => setIcon(currentTarget.value)}
        />
      </p>
    </details>
  );
}

function entered(data: FormData): TaskInput {
  const text = (name: string) => textOf(data, name).trim();
  return {
    title: textOf(data, 'title'),
    ...(data.has('points') && { points: Number(text('points')) }),
    description: text('description') || null,
    schedule: enteredSchedule(data),
    hasGraceDay: data.has('hasGraceDay'),
    target: enteredTarget(data),
    step: amountOf(data, 'step') || null,
    colour: text('colour') || null,
    icon: text('icon') || null,
    section: text('section') || null,
    tags: text('tags')
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
  };
}

function enteredTarget(data: FormData): Target | null {
  const kind = textOf(data, 'kind') === 'AT_MOST' ? 'AT_MOST' : 'AT_LEAST';
  if (kind === 'AT_LEAST' && !data.has('hasTarget')) return null;
  const per = textOf(data, 'per') as Target['per'];
  return { amount: amountOf(data), unit: textOf(data, 'unit').trim(), kind, per };
}

/** A target of a week or a month goes with every day. */
function enteredSchedule(data: FormData): ScheduleInput {
  const kind = textOf(data, 'schedule');
  if (kind === 'every') return { everyDays: Number(textOf(data, 'every')) };
  if (kind === 'WEEK' || kind === 'MONTH')
    return { timesPer: { count: Number(textOf(data, 'times')), period: kind as Period } };
  const chosen = data.getAll('weekdays') as Weekday[];
  return kind === 'weekdays'
    ? { weekdays: WEEKDAYS.filter((each) => chosen.includes(each)) }
    : { everyDay: true };
}

function kindOf(schedule: Schedule | null): keyof typeof t.form.kinds {
  if (schedule?.weekdays) return 'weekdays';
  if (schedule?.everyDays) return 'every';
  return schedule?.timesPer?.period ?? 'day';
}

/** When it is due. */
interface WhenProps {
  task: Task | null;
  user: User;
  /** It may rest on weekdays, and is not done every few days. */
  isLimit: boolean;
}

function When({ task, user, isLimit }: WhenProps) {
  const schedule = task?.schedule ?? null;
  const [chosen, setKind] = useState<string>(kindOf(schedule));
  const { day, weekdays, ...others } = t.form.kinds;
  const kinds = isLimit ? { day, weekdays } : { day, weekdays, ...others };
  const kind = chosen in kinds ? chosen : 'day';
  const isChosen = (day: Weekday) => (schedule?.weekdays ?? [codeOf(user.today)]).includes(day);
  return (
    <>
      <Select id="task.schedule" label={t.form.when} value={kind} options={kinds} onChange={setKind} />
      {kind === 'weekdays' && (
        <Weekdays name="weekdays" isChosen={isChosen} weekStartsOn={user.weekStartsOn} />
      )}
      {kind === 'every' && (
        <>
          <Field
            id="task.every"
            label={t.form.everyHowMany}
            type="number"
            value={schedule?.everyDays ?? 2}
            min={1}
            max={365}
            required
            hint={t.form.everyHint}
          />
          <Checkbox name="hasGraceDay" label={t.form.graceDay} checked={task?.hasGraceDay ?? false} />
        </>
      )}
      {(kind === 'WEEK' || kind === 'MONTH') && (
        <Field
          key={kind}
          id="task.times"
          label={t.form.howMany[kind]}
          type="number"
          value={(schedule?.timesPer?.period === kind && schedule.timesPer.count) || 1}
          min={1}
          max={kind === 'WEEK' ? 7 : 31}
          required
        />
      )}
    </>
  );
}

interface TargetProps {
  task: Task | null;
  isLimit?: boolean;
  per: string;
  choosePer: (per: string) => void;
}

function TargetFields({ task, isLimit = false, per, choosePer }: TargetProps) {
  const { target = null, step = null } = task ?? {};
  const [hasTarget, setTarget] = useState(target !== null);
  const choose = (isChosen: boolean) => {
    setTarget(isChosen);
    if (!isChosen) choosePer('DAY');
  };
  return (
    <>
      {!isLimit && (
        <Checkbox name="hasTarget" label={t.form.withTarget} checked={hasTarget} onChange={choose} />
      )}
      {(hasTarget || isLimit) && (
        <>
          <div class="fields">
            <Amount
              id="task.amount"
              label={isLimit ? t.limits.atMost : t.form.amount}
              hint={isLimit ? t.limits.noneHint : undefined}
              value={target?.amount ?? ''}
              mayBeNone={isLimit}
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
          <Choice name="per" chosen={per} options={t.limits.pers} onChange={choosePer} />
          <Amount id="task.step" label={t.form.step} hint={t.form.stepHint} value={step ?? ''} />
        </>
      )}
    </>
  );
}

interface ChoiceProps {
  name: string;
  chosen: string;
  options: Record<string, string>;
  onChange: (chosen: string) => void;
}

/** One of a few, side by side. */
const Choice = ({ name, chosen, options, onChange }: ChoiceProps) => (
  <fieldset class="choice" aria-label={name === 'per' ? t.limits.per : t.limits.kind}>
    {Object.entries(options).map(([value, label]) => (
      <label key={value}>
        <input
          type="radio"
          name={name}
          value={value}
          checked={value === chosen}
          onChange={() => onChange(value)}
        />
        <span>{label}</span>
      </label>
    ))}
  </fieldset>
);

const Colours = ({ chosen }: { chosen: string | null }) => (
  <fieldset class="colours">
    <legend>{t.form.colour}</legend>
    {[...new Set(['', ...COLOURS, chosen ?? ''])].map((colour) => (
      <label key={colour} class={colour && `colour-${colour.toLowerCase()}`}>
        <input
          type="radio"
          name="colour"
          value={colour}
          defaultChecked={colour === (chosen ?? '')}
          aria-label={t.form.colours[colour as keyof typeof t.form.colours] ?? t.form.noColour}
        />
        <span aria-hidden="true" />
      </label>
    ))}
  </fieldset>
);
