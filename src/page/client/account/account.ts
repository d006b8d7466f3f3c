import { call } from '../shell/files.js';
import { failed, refresh, restore, showNothingOf } from '../shell/screen.js';
import { keepSession, type Session, setting } from '../shell/session.js';
import { ask, ownToken } from '../sync/api.js';
import * as documents from '../sync/later-documents.js';
import { forgetScreen, forgetTaps } from '../sync/storage.js';
import { get, NO_NOTICE, set, tell } from '../sync/store.js';
import { send } from '../sync/taps.js';
import { t } from '../ui/language.js';
import { weekStartOf } from '../ui/weekdays.js';

interface SignedIn {
  token: string;
  user: { id: string };
}

export const zoneOfDevice = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** `America/New York` */
export const zoneInWords = (zone: string): string => zone.replaceAll('_', ' ');

/** Its days are those of this device. Where the service does not take its zone, the page asks about it as after a flight. */
export async function signUp(input: { name: string; email: string; password: string }): Promise<void> {
  const { signUp } = await ask<{ signUp: SignedIn }>(documents.SIGN_UP, { input }, null);
  const profile = { timeZone: zoneOfDevice(), weekStartsOn: weekStartOf(null) };
  await ask(documents.UPDATE_PROFILE, { input: profile }, signUp.token).catch(() => {});
  await begin(signUp);
}

export async function logIn(email: string, password: string): Promise<void> {
  const { logIn } = await ask<{ logIn: SignedIn }>(documents.LOG_IN, { input: { email, password } }, null);
  await begin(logIn);
}

/** Nothing of the former user of this browser is shown or sent: what waits belongs to its user. */
export async function begin({ token, user }: SignedIn): Promise<void> {
  const { session: former } = get();
  const session: Session = { token, userId: user.id };
  if (former && former.userId !== user.id) await leave();
  keepSession(session);
  set({ session, isNew: false, email: '', toast: null, ...NO_NOTICE });
  await restore();
  await Promise.all([refresh(), send()]);
}

/** Null for whoever has none yet. */
export async function changePassword(
  newPassword: string,
  currentPassword: string | null,
  isEverywhere: boolean,
): Promise<void> {
  await ask(documents.CHANGE_PASSWORD, { input: { currentPassword, newPassword } });
  if (isEverywhere) await logOutElsewhere();
  tell(t.account.passwordSet, true);
}

/** Nothing of somebody who has left stays to be read here, or rings, save taps that were never sent. */
export async function leave(): Promise<void> {
  const { session } = get();
  keepSession(null);
  showNothingOf(null);
  if (session) await forgetScreen(session.userId).catch(() => {});
  if (setting('channel')) await ringNoMore(session?.token ?? null).catch(() => {});
}

async function ringNoMore(token: string | null): Promise<void> {
  await (await import('../reminders/push.js')).ringHereNoMore(token);
}

/** Ends the token too; without a network, this device forgets it all the same. */
export async function logOut(): Promise<void> {
  const token = ownToken();
  await leave();
  if (token) await ask(documents.SIGN_OUT, {}, token).catch(() => {});
}

/** Every other device has to log in again, and rings no more. This one goes on. */
export async function logOutElsewhere(): Promise<void> {
  const ring = setting('channel') ? await (await import('../reminders/push.js')).ringingHere() : null;
  const { signOutEverywhere } = await ask<{ signOutEverywhere: SignedIn }>(documents.SIGN_OUT_EVERYWHERE, {});
  await begin(signOutEverywhere);
  await ring?.().catch(failed);
}

/** For good. Without this device's part of it, that would not be all. */
export async function deleteAccount(password: string | null): Promise<void> {
  const { session } = get();
  if (!session) return;
  await ask(documents.DELETE_ACCOUNT, { password });
  await forgetTaps(session.userId);
  await leave();
  tell(t.account.removed, true);
}

/** A request has the token in its header: an address would be kept in histories and logs. */
export async function download(file: string): Promise<void> {
  const response = await call(`account/${file}`);
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = name ?? file;
  link.click();
  setTimeout(URL.revokeObjectURL, 60_000, link.href);
}

/** Takes in what was downloaded, here or elsewhere. Answers what another app's file has that was not taken. */
export async function importFile(file: File): Promise<string[]> {
  const isPacked = file.name.toLowerCase().endsWith('.zip');
  const headers = { 'content-type': isPacked ? 'application/zip' : 'application/json' };
  const response = await call('account/import', { method: 'POST', headers, body: file });
  const { tasks, completions, left_out = [] } = await response.json();
  tell(t.account.imported(tasks, completions), true);
  await refresh();
  return left_out;
}
