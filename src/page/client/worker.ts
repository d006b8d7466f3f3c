import { languageInUse } from './language.js';
import { home } from './paths.js';

interface Policies {
  createPolicy(
    name: string,
    rules: { createScriptURL: () => string },
  ): { createScriptURL(url: string): string };
}

/** Under Trusted Types, the one address that may become a script: that of the service worker. */
function address(): string {
  const url = `${home}service-worker.js?${languageInUse()}`; // it keeps that language only
  const { trustedTypes } = window as { trustedTypes?: Policies };
  return (
    trustedTypes?.createPolicy('steady-worker', { createScriptURL: () => url }).createScriptURL(url) ?? url
  );
}

/** So that the page opens without a network. Browsers offer it on https and on the machine itself only. */
export async function keepOnDevice(): Promise<void> {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  try {
    await navigator.serviceWorker.register(address(), { scope: home });
    await navigator.storage?.persist?.(); // taps that wait must not be cleared for want of room
  } catch (error) {
    console.warn(error);
  }
}
