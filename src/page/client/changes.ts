import { ask, NoAnswer, Refused } from './api.js';
import { t } from './language.js';
import * as documents from './later-documents.js';
import { refresh } from './screen.js';
import { NO_NOTICE, set, tell } from './store.js';
import type { Period, Reminder, Schedule, Target, Task, User, Weekday } from './types.js';

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
  if (!navigator.onLine) return t.notices.cannotChange;
  return sentence || (outcome === 'NOT_APPLIED' ? t.notices.notDone : t.notices.noAnswer);
}

/** As the service takes it. */
export interface ScheduleInput {
  weekdays?: Weekday[];
  every?: number;
  times?: { times: number; per: Period };
}

export interface TaskInput {
  title: string;
  points?: number;
  description?: string | null;
  schedule?: ScheduleInput;
  target?: Target | null;
  colour?: string | null;
  icon?: string | null;
  tags?: string[];
  section?: string | null;
  reminders?: Reminder[];
}

interface Created {
  createTask: { replayed: boolean; task: Task };
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
  const { replayed, task } = createTask;
  if (replayed || first !== input) await updateTask(task.id, changed<TaskInput>(inputOf(task), input));
  return task;
}

/** A habit as it would be entered. */
export const inputOf = (task: Task): Required<Omit<TaskInput, 'reminders'>> => {
  const { title, points, description, target, colour, icon, tags, section } = task;
  return {
    title,
    points,
    description,
    schedule: scheduleInput(task.schedule),
    target,
    colour,
    icon,
    tags,
    section,
  };
};

function scheduleInput({ weekdays, every, times, per }: Schedule): ScheduleInput {
  if (weekdays) return { weekdays };
  return every ? { every } : { times: { times: times ?? 1, per: per ?? 'WEEK' } };
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
  tell(t.archive.isArchived(title), true, { undo: { words: t.common.undo, act: () => restoreTask(id) } });
}

/** Its history goes with it, for good. */
export const deleteTask = (id: string) => change(documents.DELETE_TASK, { id });

export const restoreTask = (id: string) => change(documents.RESTORE, { id });

/** Pauses one habit; null: everything. */
export const pause = (taskId: string | null, from: string, until: string | null) =>
  change(documents.PAUSE, { taskId, from, until });

/** A last day before the first removes the pause. */
export const endPause = (id: string, until: string) => change(documents.END_PAUSE, { id, until });
