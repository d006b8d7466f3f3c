import { prefix } from './place.js';

/** Whose page it is. */
export interface Session {
  /** Null when it has ended: the person is asked to log in again, and what waits goes on waiting. */
  token: string | null;
  userId: string;
  email: string;
}

const key = `${prefix}session`;

/** Every window of this page reads it, and is told of a change by the browser. */
export function currentSession(): Session | null {
  try {
    const { token, userId, email } = JSON.parse(localStorage.getItem(key) ?? '{}');
    return typeof userId === 'string' ? { token: textOr(token), userId, email: String(email) } : null;
  } catch {
    return null;
  }
}

const textOr = (value: unknown) => (typeof value === 'string' ? value : null);

export function keepSession(session: Session | null): void {
  if (session) localStorage.setItem(key, JSON.stringify(session));
  else localStorage.removeItem(key);
}

export function onSessionChange(listener: () => void): void {
  addEventListener('storage', (event) => {
    if (event.key === key || event.key === null) listener();
  });
}

const shortcuts = `${prefix}shortcuts`;

export const areShortcutsOn = (): boolean => localStorage.getItem(shortcuts) !== 'off';

export const keepShortcuts = (isOn: boolean): void => localStorage.setItem(shortcuts, isOn ? 'on' : 'off');
