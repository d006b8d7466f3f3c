/** `wrong`: the service cannot run so, or loses something; `warning`: it runs, but this may be a mistake. */
export type State = 'ok' | 'warning' | 'wrong';

/** What was looked at, what it is like, and how to mend it. */
export interface Finding {
  about: string;
  state: State;
  says: string;
  mend?: string;
}

export const ok = (about: string, says: string): Finding => ({ about, state: 'ok', says });

export const warning = (about: string, says: string, mend: string): Finding => ({
  about,
  state: 'warning',
  says,
  mend,
});

export const wrong = (about: string, says: string, mend: string): Finding => ({
  about,
  state: 'wrong',
  says,
  mend,
});
