import { refresh } from '../shell/screen.js';
import { later } from '../today/days.js';
import { t } from '../ui/language.js';
import { ask, NoAnswer, Refused } from './api.js';
import * as documents from './later-documents.js';
import { get, NO_NOTICE, set, tell } from './store.js';
import type { Pause, Period, Reminder, Schedule, Target, Task, User, Weekday } from './types.js';

const underWay = new Map<string, Promise<unknown>>();

/** The same is not done twice by a button that is pressed twice. */
export function change<Data>(document: string, variables: object): Promise<Data> {
  const name = document + JSON.stringify(variables);
  const known = underWay.get(name);
  if (known) return known as Promise<Data>;
  const begun = makeChange<Data>(document, variables).finally(() => underWay.delete(name));
  underWay.set(name, begun);
  return begun;
}

/** Changes something, and shows what has become of it. Other windows hear of it from the service. */
async function makeChange<Data>(document: string, variables: object): Promise<Data> {
  const data = await ask<Data>(document, variables).catch((error: unknown) => {
    throw error instanceof NoAnswer ? new NoAnswer(error.message, whyNotChanged(error)) : error;
  });
  set(NO_NOTICE);
  await refresh();
  return data;
}

function whyNotChanged({ sentence, outcome }: NoAnswer): string {
  if (!outcome && !(navigator.onLine && get().isOnline)) return t.notices.cannotChange;
  return sentence || (outcome === 'NOT_APPLIED' ? t.notices.notDone : t.notices.noAnswer);
}

/** As the service takes it. */
export interface ScheduleInput {
  everyDay?: true;
  weekdays?: Weekday[];
  everyDays?: number;
  timesPer?: { count: number; period: Period };
}

export interface TaskInput {
  title: string;
  points?: number;
  description?: string | null;
  schedule?: ScheduleInput;
  hasGraceDay?: boolean;
  target?: Target | null;
  step?: number | null;
  colour?: string | null;
  icon?: string | null;
  tags?: string[];
  section?: string | null;
  reminders?: Reminder[];
}

interface Created {
  createTask: { isReplayed: boolean; task: Task };
}

/** By key: what was sent, as long as nobody has said what became of it. */
const unanswered = new Map<string, TaskInput>();

/**
 * What is saved once more since no answer came has the same key, and becomes one task: first as it was sent before, since
 * the key stands for that, then with what was corrected meanwhile.
 */
export async function createTask(
  input: TaskInput,
  idempotencyKey: string,
  challengeTemplateId?: string,
): Promise<Task> {
  const first = unanswered.get(idempotencyKey) ?? input;
  unanswered.set(idempotencyKey, first);
  const variables = { input: { ...first, challengeTemplateId }, idempotencyKey };
  const { createTask } = await change<Created>(documents.CREATE_TASK, variables).catch((error: unknown) => {
    if (error instanceof Refused) unanswered.delete(idempotencyKey);
    throw error;
  });
  unanswered.delete(idempotencyKey);
  const { isReplayed, task } = createTask;
  if (isReplayed || first !== input) await updateTask(task.id, changed<TaskInput>(inputOf(task), input));
  return task;
}

/** A habit as it would be entered. */
export const inputOf = (task: Task): Required<Omit<TaskInput, 'reminders'>> => {
  const { title, points, description, hasGraceDay, target, step, colour, icon, tags, section } = task;
  return {
    title,
    points,
    description,
    schedule: scheduleInput(task.schedule),
    hasGraceDay,
    target,
    step,
    colour,
    icon,
    tags,
    section,
  };
};

function scheduleInput({ weekdays, everyDays, timesPer }: Schedule): ScheduleInput {
  if (weekdays) return { weekdays };
  if (everyDays) return { everyDays };
  return timesPer ? { timesPer } : { everyDay: true };
}

/** What another device has changed meanwhile stays. Browsers give line breaks as CRLF. */
export function changed<Fields extends object>(before: Fields, input: Fields): Partial<Fields> | null {
  const plain = (value: unknown) => (typeof value === 'string' ? value.replaceAll('\r\n', '\n') : value);
  const entries = Object.entries(input).map(([name, value]) => [name, plain(value)] as const);
  const text = (value: unknown) => JSON.stringify(value) ?? '';
  const news = entries.filter(([name, value]) => text(value) !== text(Reflect.get(before, name)));
  return news.length > 0 ? (Object.fromEntries(news) as Partial<Fields>) : null;
}

export async function updateTask(id: string, input: Partial<TaskInput> | null): Promise<void> {
  if (input) await change(documents.UPDATE_TASK, { id, input });
}

export type Profile = Pick<User, 'name' | 'timeZone' | 'dayStartsAt' | 'weekStartsOn' | 'language'>;

export async function updateProfile(input: Partial<Profile> | null): Promise<void> {
  if (input) await change(documents.UPDATE_PROFILE, { input });
}

/** It can be had back at once. */
export async function archiveTask({ id, title }: Task): Promise<void> {
  await change(documents.ARCHIVE, { id });
  const undo = { words: t.common.undo, act: () => restoreTask(id) };
  tell(t.archive.isArchived(title), true, { undo });
}

/** Its history goes with it, for good. */
export const deleteTask = (id: string) => change(documents.DELETE_TASK, { id });

export const restoreTask = (id: string) => change(documents.RESTORE, { id });

/** Pauses one habit; null: everything. */
export const pause = (taskId: string | null, from: string, until: string | null) =>
  change(documents.PAUSE, { input: { taskId, from, until } });

/** With the day before: none of it is left if it has not begun by then. */
export const endPause = ({ id, from }: Pause, today: string) =>
  from < today
    ? change(documents.END_PAUSE, { id, input: { until: later(today, -1) } })
    : change(documents.DELETE_PAUSE, { id });
