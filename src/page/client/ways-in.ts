import { begin } from './account.js';
import { ask, NoAnswer, Refused, sentenceOf } from './api.js';
import { t } from './language.js';
import * as documents from './later-documents.js';
import type { Arrival } from './link.js';
import { refresh } from './screen.js';
import { get, putLinkAway, set, tell } from './store.js';

export interface Provider {
  id: string;
  name: string;
  url: string;
  signOutUrl: string | null;
}

/** What there is to offer to whoever is not logged in. */
export interface SignInService {
  mail: boolean;
  oidc: Provider[];
}

export interface WaysIn {
  me: {
    email: string;
    emailConfirmedAt: string | null;
    identities: { id: string; provider: string; connectedAt: string }[];
  };
  signInService: SignInService;
}

export async function readService(): Promise<SignInService> {
  return (await ask<{ signInService: SignInService }>(documents.SIGN_IN_SERVICE, {}, null)).signInService;
}

export const readWaysIn = (): Promise<WaysIn> => ask<WaysIn>(documents.WAYS_IN, {});

/** Answers the same for everybody: it does not tell whether there is an account. */
export const requestReset = (email: string) => ask(documents.REQUEST_RESET, { email }, null);

async function leadToLogIn(email: string): Promise<void> {
  putLinkAway();
  await refresh(); // a log-in of this device may have ended by it, which takes notices away
  set({ email });
}

export async function resetPassword(token: string, newPassword: string): Promise<void> {
  type Reset = { resetPassword: { email: string } };
  const { resetPassword } = await ask<Reset>(documents.RESET, { token, newPassword }, null);
  await leadToLogIn(resetPassword.email);
  tell(t.back.isSet, true);
}

export async function confirmEmail(token: string): Promise<void> {
  const { confirmEmail } = await ask<{ confirmEmail: { user: { email: string } } }>(
    documents.CONFIRM,
    { token },
    null,
  );
  const { email } = confirmEmail.user;
  putLinkAway();
  set({ email });
  tell(t.back.confirmed(email), true);
}

export async function undoEmailChange(token: string): Promise<void> {
  const { undoEmailChange } = await ask<{ undoEmailChange: { email: string } }>(
    documents.UNDO_EMAIL,
    { token },
    null,
  );
  const { email } = undoEmailChange;
  await leadToLogIn(email);
  tell(t.back.undone(email), true); // the service mails a link to a new password by itself
}

/** Anybody can send a link with words in it, which are none of ours. */
function refusedFor(word: string): Refused {
  const isOurs = [t.back.refused, t.reasons].some((texts) => Object.hasOwn(texts, word));
  return new Refused(word, isOurs ? word : 'LOG_IN_FAILED');
}

/** For whoever comes back from a provider. */
export async function arrive({ kind, token }: Arrival): Promise<void> {
  set({ link: null });
  try {
    if (kind === 'login-error') throw refusedFor(token);
    const before = get().session?.userId;
    type Exchanged = { exchangeLogIn: { token: string; user: { id: string } } };
    const { exchangeLogIn } = await ask<Exchanged>(documents.EXCHANGE, { code: token });
    await begin(exchangeLogIn);
    if (exchangeLogIn.user.id === before) tell(t.back.isConnected, true);
  } catch (error) {
    set({ isNew: false });
    const reason = error instanceof Refused ? error.reason : '';
    const isOver = reason === 'INVALID_CREDENTIALS'; // as the service says of every code that is good no more
    tell(t.back.refused[isOver ? 'LOG_IN_EXPIRED' : reason] ?? sentenceOf(error));
    if (!(error instanceof Refused || error instanceof NoAnswer)) throw error;
  }
}

/** It may be confirmed already, by another link or elsewhere: then there is nothing to send. */
export async function requestConfirmation(): Promise<void> {
  const { me } = await readWaysIn();
  if (!me.emailConfirmedAt) await ask(documents.REQUEST_CONFIRMATION, {});
  tell(me.emailConfirmedAt ? t.back.confirmed(me.email) : t.back.mailed, true);
}

export async function changeEmail(email: string): Promise<void> {
  await ask(documents.UPDATE_PROFILE, { input: { email } });
  await refresh();
  tell(t.back.emailChanged(email), true);
}

/** The browser goes to the provider, and comes back. */
export async function connect(): Promise<void> {
  const { connectIdentity } = await ask<{ connectIdentity: { url: string } }>(documents.CONNECT, {});
  location.assign(connectIdentity.url);
}

export const disconnect = (id: string) => ask(documents.DISCONNECT, { id });
