import { home } from './shell/paths.js';
import { languageInUse } from './ui/language.js';

interface Policies {
  createPolicy(
    name: string,
    rules: { createScriptURL: () => string },
  ): { createScriptURL(url: string): string };
}

/** It keeps the language in use only. */
const address = (): string => `${home}service-worker.js?${languageInUse()}`;

const { trustedTypes } = window as { trustedTypes?: Policies };

/** Under Trusted Types, that address alone may become a script. A policy can be made once. */
const policy = trustedTypes?.createPolicy('steady-worker', { createScriptURL: address });

/** So that the page opens without a network. Browsers offer it on https and on the machine itself only. */
export async function keepOnDevice(): Promise<void> {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  try {
    await navigator.serviceWorker.register(policy?.createScriptURL(address()) ?? address(), { scope: home });
    await navigator.storage?.persist?.(); // taps that wait must not be cleared for want of room
  } catch (error) {
    console.warn(error);
  }
}
