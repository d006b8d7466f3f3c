/** What something is like, and how to mend it. */
export interface Finding {
  /** `wrong`: the service cannot run so, or loses something; `warning`: it runs, but this may be a mistake. */
  state: 'ok' | 'warning' | 'wrong';
  message: string;
  fix?: string;
}

type Found = Finding | Finding[];

/** Something that the service runs without, but not well. */
export interface Check<Place> {
  about: string;
  look: (place: Place) => Found | Promise<Found>;
}

export const ok = (message: string): Finding => ({ state: 'ok', message });

export const warning = (message: string, fix: string): Finding => ({ state: 'warning', message, fix });

export const wrong = (message: string, fix: string): Finding => ({ state: 'wrong', message, fix });
