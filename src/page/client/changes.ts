import { ask, Refused } from './api.js';
import * as documents from './documents.js';
import { refresh } from './screen.js';
import { toOthers } from './tabs.js';
import type { Task, User } from './types.js';

const tellOthers = toOthers('changes', () => void refresh());

const underWay = new Map<string, Promise<unknown>>();

/** The same is not done twice by a button that is pressed twice. */
function change<Data>(document: string, variables: object): Promise<Data> {
  const name = document + JSON.stringify(variables);
  const known = underWay.get(name);
  if (known) return known as Promise<Data>;
  const begun = makeChange<Data>(document, variables).finally(() => underWay.delete(name));
  underWay.set(name, begun);
  return begun;
}

/** Changes something, shows what has become of it, and tells other windows: the service announces no new profile. */
async function makeChange<Data>(document: string, variables: object): Promise<Data> {
  const data = await ask<Data>(document, variables);
  await refresh();
  tellOthers();
  return data;
}

export interface TaskInput {
  title: string;
  points?: number;
  description?: string | null;
  isDailyRoutine?: boolean;
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
): Promise<void> {
  const first = unanswered.get(idempotencyKey) ?? input;
  unanswered.set(idempotencyKey, first);
  const variables = { input: { ...first, challengeTemplateId }, idempotencyKey };
  const { createTask } = await change<Created>(documents.CREATE_TASK, variables).catch((error: unknown) => {
    if (error instanceof Refused) unanswered.delete(idempotencyKey);
    throw error;
  });
  unanswered.delete(idempotencyKey);
  const { replayed, task } = createTask;
  if (replayed || first !== input) await updateTask(task.id, changed(task, input));
}

/** What another device has changed meanwhile stays. Browsers give line breaks as CRLF. */
export function changed<Fields extends object>(before: Fields, input: Fields): Partial<Fields> | null {
  const plain = (value: unknown) => (typeof value === 'string' ? value.replaceAll('\r\n', '\n') : value);
  const entries = Object.entries(input).map(([name, value]) => [name, plain(value)] as const);
  const news = entries.filter(([name, value]) => value !== Reflect.get(before, name));
  return news.length > 0 ? (Object.fromEntries(news) as Partial<Fields>) : null;
}

export async function updateTask(id: string, input: Partial<TaskInput> | null): Promise<void> {
  if (input) await change(documents.UPDATE_TASK, { id, input });
}

export type Profile = Pick<User, 'name' | 'timeZone' | 'dayStartsAt'>;

export async function updateProfile(input: Partial<Profile> | null): Promise<void> {
  if (input) await change(documents.UPDATE_PROFILE, { input });
}

export const archiveTask = (id: string) => change(documents.ARCHIVE, { id });

export const restoreTask = (id: string) => change(documents.RESTORE, { id });

/** To the place behind another one; without it to the top. */
export const moveTask = (id: string, after: string | null) => change(documents.MOVE, { id, after });

export const acceptChallenge = (templateId: string) => change(documents.ACCEPT_CHALLENGE, { templateId });

export const completeChallenge = (id: string) => change(documents.COMPLETE_CHALLENGE, { id });

export const abandonChallenge = (id: string) => change(documents.ABANDON_CHALLENGE, { id });

export const updateNotes = (id: string, news: { notes?: string }) =>
  change(documents.UPDATE_NOTES, { id, ...news });
