import { ask, ownToken, sentenceOf } from './ask.js';
import {
  DELETE_ACCOUNT,
  LOG_IN,
  SIGN_OUT,
  SIGN_OUT_EVERYWHERE,
  SIGN_UP,
  UPDATE_PROFILE,
} from './documents.js';
import { forgetTaps } from './kept.js';
import { leave, refresh, restore } from './screen.js';
import { keepSession, type Session } from './session.js';
import { get, set } from './store.js';
import { send } from './taps.js';

interface SignedIn {
  token: string;
  user: { id: string; email: string };
}

export const zoneOfDevice = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

export async function signUp(
  input: { name: string; email: string; password: string },
  timeZone: string | null,
): Promise<void> {
  const { signUp } = await ask<{ signUp: SignedIn }>(SIGN_UP, { input }, null);
  if (timeZone) await chooseZone(timeZone, signUp.token);
  await begin(signUp);
}

/** The account is there already: without the zone it has days in UTC, until another is chosen in the settings. */
async function chooseZone(timeZone: string, token: string): Promise<void> {
  try {
    await ask(UPDATE_PROFILE, { input: { timeZone } }, token);
  } catch (error) {
    set({
      problem: `Your days are those of UTC, not of ${timeZone}: ${sentenceOf(error)} The settings change that.`,
    });
  }
}

export async function logIn(email: string, password: string): Promise<void> {
  const { logIn } = await ask<{ logIn: SignedIn }>(LOG_IN, { input: { email, password } }, null);
  await begin(logIn);
}

/** Of the former user of this browser nothing is shown or sent: what waits belongs to its user. */
async function begin({ token, user }: SignedIn): Promise<void> {
  const session: Session = { token, userId: user.id, email: user.email };
  const isSame = get().session?.userId === session.userId;
  keepSession(session);
  set({ session, isNew: false, toast: null, ...(!isSame && { screen: null, taps: [] }) });
  await restore();
  await Promise.all([refresh(), send()]);
}

export const changePassword = (newPassword: string): Promise<unknown> =>
  ask(UPDATE_PROFILE, { input: { newPassword } });

/** Ends the token too; without a network, this device forgets it all the same. */
export async function logOut(): Promise<void> {
  const token = ownToken();
  await leave();
  if (token) await ask(SIGN_OUT, {}, token).catch(() => {});
}

/** For good. Without this device's part of it, that would not be all. */
export async function deleteAccount(password: string): Promise<void> {
  const { session } = get();
  if (!session) return;
  await ask(DELETE_ACCOUNT, { password });
  await forgetTaps(session.userId);
  await leave();
  set({ problem: 'The account and all in it are gone.' });
}

/** Every other device has to log in again. */
export async function logOutElsewhere(): Promise<void> {
  const { signOutEverywhere } = await ask<{ signOutEverywhere: SignedIn }>(SIGN_OUT_EVERYWHERE, {});
  await begin(signOutEverywhere);
}
