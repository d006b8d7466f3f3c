import { AsyncLocalStorage } from 'node:async_hooks';

/** The connection of whoever waits for the answer to what is being done. */
export const callers = new AsyncLocalStorage<{ readonly destroyed: boolean }>();

/** Whether nobody waits any more. What nobody asked for over HTTP is waited for to its end. */
export const hasCallerGone = (): boolean => callers.getStore()?.destroyed ?? false;
