import { prefix } from './paths.js';

/** Whose page it is. Once it has ended, nothing of the person may be left here to be read. */
export interface Session {
  /** Null when it has ended: the person is asked to log in again, and what waits goes on waiting. */
  token: string | null;
  userId: string;
}

const key = `${prefix}session`;

/** What the browser refuses to keep lasts as long as the window. */
const refused = new Map<string, string>();

/** Whether the log-in outlasts this window. */
export const isLogInKept = (): boolean => !refused.has(key);

function read(name: string): string {
  try {
    return refused.get(name) ?? localStorage.getItem(name) ?? '';
  } catch {
    return '';
  }
}

function write(name: string, text: string): void {
  try {
    localStorage.setItem(name, text);
    refused.delete(name);
  } catch {
    refused.set(name, text);
  }
}

/** Every window of this page reads it, and is told of a change by the browser. */
export function currentSession(): Session | null {
  try {
    const { token, userId } = JSON.parse(read(key));
    return typeof userId === 'string' ? { token: textOr(token), userId } : null;
  } catch {
    return null;
  }
}

const textOr = (value: unknown) => (typeof value === 'string' ? value : null);

export const keepSession = (session: Session | null): void => write(key, JSON.stringify(session));

export function onSessionChange(listener: () => void): void {
  addEventListener('storage', (event) => {
    if (event.key === key || event.key === null) listener();
  });
}

/** What is chosen for this device. */
type Setting =
  | ('shortcuts' | 'language' | 'clock' | 'theme' | 'folded')
  | ('channel' | 'endpoint' | 'elsewhere' | 'timer');

export const setting = (name: Setting): string => read(`${prefix}${name}`);

export const keepSetting = (name: Setting, value: string): void => {
  if (setting(name) !== value) write(`${prefix}${name}`, value);
};

export const areShortcutsOn = (): boolean => setting('shortcuts') !== 'off';

export const keepShortcuts = (isOn: boolean): void => keepSetting('shortcuts', isOn ? 'on' : 'off');

/** Whether it was said that the days stay as they are while this device is in a zone. */
export const staysElsewhere = (zone: string): boolean => setting('elsewhere').split('\n').includes(zone);

export const stayElsewhere = (zone: string): void =>
  keepSetting('elsewhere', `${setting('elsewhere')}\n${zone}`);

/** Sections of the list. */
export const foldedSections = (): string[] => setting('folded').split('\n').filter(Boolean);

export function keepFolded(name: string, isFolded: boolean): void {
  const others = foldedSections().filter((each) => each !== name);
  keepSetting('folded', [...others, ...(isFolded ? [name] : [])].join('\n'));
}
