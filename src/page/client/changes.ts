import { ask } from './ask.js';
import * as documents from './documents.js';
import { prefix } from './place.js';
import { refresh } from './screen.js';
import { get } from './store.js';

const windows = new BroadcastChannel(`${prefix}changes`);
windows.onmessage = () => void refresh();

/** Changes something, shows what has become of it, and tells other windows: the service announces completions only. */
async function change(document: string, variables: object): Promise<void> {
  await ask(document, variables, get().session?.token ?? null);
  await refresh();
  windows.postMessage(null);
}

export interface TaskInput {
  title: string;
  points?: number;
  description?: string | null;
  isDailyRoutine?: boolean;
  challengeTemplateId?: string;
}

export const createTask = (input: TaskInput) => change(documents.CREATE_TASK, { input });

export const updateTask = (id: string, input: Partial<TaskInput>) =>
  change(documents.UPDATE_TASK, { id, input });

export const putAway = (id: string) => change(documents.PUT_AWAY, { id });

export const bringBack = (id: string) => change(documents.BRING_BACK, { id });

/** To the place behind another one; without it to the top. */
export const moveTask = (id: string, after: string | null) => change(documents.MOVE, { id, after });

export const acceptChallenge = (templateId: string) => change(documents.ACCEPT_CHALLENGE, { templateId });

export const completeChallenge = (id: string) => change(documents.COMPLETE_CHALLENGE, { id });

export const abandonChallenge = (id: string) => change(documents.ABANDON_CHALLENGE, { id });

export const updateNotes = (id: string, notes: string) => change(documents.UPDATE_NOTES, { id, notes });
