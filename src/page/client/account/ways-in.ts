import { refresh } from '../shell/screen.js';
import { ask } from '../sync/api.js';
import * as documents from '../sync/later-documents.js';
import { tell } from '../sync/store.js';
import { t } from '../ui/language.js';

export interface Provider {
  id: string;
  name: string;
  url: string;
  signOutUrl: string | null;
}

/** What there is to offer to whoever is not logged in. */
export interface SignInService {
  sendsMail: boolean;
  isSignUpOpen: boolean;
  providers: Provider[];
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

/** It may be confirmed already, by another link or elsewhere: then there is nothing to send. */
export async function requestConfirmation(): Promise<void> {
  const { me } = await readWaysIn();
  if (!me.emailConfirmedAt) await ask(documents.REQUEST_CONFIRMATION, {});
  tell(me.emailConfirmedAt ? t.back.confirmed(me.email) : t.back.mailed, true);
}

export async function changeEmail(newEmail: string, currentPassword: string | null): Promise<void> {
  await ask(documents.CHANGE_EMAIL, { input: { currentPassword, newEmail } });
  await refresh();
  tell(t.back.emailChanged(newEmail), true);
}

/** The browser goes to the provider, and comes back. */
export async function connect(): Promise<void> {
  const { connectIdentity } = await ask<{ connectIdentity: { url: string } }>(documents.CONNECT, {});
  location.assign(connectIdentity.url);
}

export const disconnect = (id: string) => ask(documents.DELETE_IDENTITY, { id });
