/** `wrong`: the service cannot run so, or loses something; `warning`: it runs, but this may be a mistake. */
export type State = 'ok' | 'warning' | 'wrong';

/** What was looked at, what it is like, and how to mend it. */
export interface Finding {
  about: string;
  state: State;
  message: string;
  fix?: string;
}

export const ok = (about: string, message: string): Finding => ({ about, state: 'ok', message });

export const warning = (about: string, message: string, fix: string): Finding => ({
  about,
  state: 'warning',
  message,
  fix,
});

export const wrong = (about: string, message: string, fix: string): Finding => ({
  about,
  state: 'wrong',
  message,
  fix,
});
