import { ask } from '../sync/api.js';
import { change, updateProfile } from '../sync/changes.js';
import { UPDATE_PROFILE } from '../sync/later-documents.js';
import { get } from '../sync/store.js';
import type { Reminder } from '../sync/types.js';
import { languageInUse } from '../ui/language.js';
import * as documents from './reminders-documents.js';

export interface Channel {
  id: string;
  kind: 'PUSH' | 'NTFY' | 'APPRISE';
  name: string;
  state: 'WORKING' | 'FAILING' | 'ENDED';
  lastSentAt: string | null;
  lastError: string | null;
}

/** Whether reminders still go there. */
export const isGoing = ({ state }: Channel): boolean => state !== 'ENDED';

export interface ReminderService {
  kinds: ('PUSH' | 'NTFY' | 'APPRISE')[];
  pushKey: string | null;
}

export interface CheckInLink {
  id: string;
  name: string;
  amount: number | null;
  lastUsedAt: string | null;
}

export interface Reminders {
  me: { dayReminder: string | null; channels: Channel[] };
  reminderService: ReminderService;
}

export type Receiver =
  | { push: { endpoint: string; p256dh: string; auth: string } }
  | { ntfy: { topic: string; token?: string } }
  | { apprise: { urls: string } };

export const readReminders = (): Promise<Reminders> => ask<Reminders>(documents.REMINDERS, {});

/** Null: none. */
export const setDayReminder = (dayReminder: string | null) =>
  change(UPDATE_PROFILE, { input: { dayReminder } });

/** Answers the id of the channel. The service writes there by itself, and knows the language of no device. */
export async function addChannel(name: string, receiver: Receiver): Promise<string> {
  const user = get().screen?.user;
  if (user && !user.language) await updateProfile({ language: languageInUse() });
  type Added = { addChannel: { channel: { id: string } } };
  return (await ask<Added>(documents.ADD_CHANNEL, { input: { name, receiver } })).addChannel.channel.id;
}

export const deleteChannel = (id: string, token?: string) => ask(documents.DELETE_CHANNEL, { id }, token);

/** Null if it was taken, or why it was not. */
export async function testChannel(id: string): Promise<string | null> {
  type Tested = { testChannel: { isDelivered: boolean; error: string | null } };
  const { testChannel } = await ask<Tested>(documents.TEST_CHANNEL, { id });
  return testChannel.isDelivered ? null : (testChannel.error ?? '');
}

/** When a habit rings. */
export async function readTimes(id: string): Promise<Reminder[]> {
  const { task } = await ask<{ task: { reminders: Reminder[] } | null }>(documents.TASK_REMINDERS, { id });
  return task?.reminders ?? [];
}

export async function readLinks(id: string): Promise<CheckInLink[]> {
  const { task } = await ask<{ task: { checkInLinks: CheckInLink[] } | null }>(documents.CHECK_IN_LINKS, {
    id,
  });
  return task?.checkInLinks ?? [];
}

/** Answers the address, which is shown once. */
export async function createLink(taskId: string, name: string, amount: number | null): Promise<string> {
  type Created = { createCheckInLink: { url: string } };
  return (await ask<Created>(documents.CREATE_LINK, { taskId, name, amount })).createCheckInLink.url;
}

export const deleteLink = (id: string) => ask(documents.DELETE_LINK, { id });
