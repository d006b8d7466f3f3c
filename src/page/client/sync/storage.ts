import { prefix } from '../shell/paths.js';
import { FIRST_SCREEN } from './documents.js';
import type { Screen, Tap } from './types.js';

// What stays on this device, in IndexedDB: taps until the service has confirmed them, and the last screen of a user.

let opened: Promise<IDBDatabase> | undefined;

/** Opened again after it was lost, or could not be opened. */
function open(): Promise<IDBDatabase> {
  if (opened) return opened;
  const opening = new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(prefix, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore('taps', { keyPath: 'key' });
      request.result.createObjectStore('screens');
    };
    request.onsuccess = () => {
      const { result } = request;
      result.onclose = close;
      result.onversionchange = () => {
        result.close();
        close();
      };
      resolve(result);
    };
    request.onerror = () => reject(request.error);
  });
  opened = opening;
  opening.catch(close);
  return opening;
}

function close(): void {
  opened = undefined;
}

/** One transaction. Resolves when it is on the disk. */
async function transact(name: string, work: (store: IDBObjectStore) => void): Promise<void> {
  const database = await open();
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(name, 'readwrite', { durability: 'strict' });
    work(transaction.objectStore(name));
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}

/** Taps by their keys: where the browser keeps nothing, they last as long as the window. */
let memory: Map<string, Tap> | undefined;

/** Whether taps that wait outlast this window. */
export const isOnDevice = (): boolean => !memory;

type Work<T> = (taps: Map<string, Tap>) => T;

/** Does what may change taps, alone among all windows. Where nothing is kept, even when it is asked twice, taps are sent all the same. */
async function withTaps<T>(work: Work<T>): Promise<T> {
  for (let attempt = 1; attempt <= 2 && !memory; attempt += 1) {
    try {
      return await withKeptTaps(work);
    } catch {
      close();
    }
  }
  const readable = await withKeptTaps((taps) => taps).catch(() => new Map<string, Tap>()); // a full disk can be read
  memory ??= readable;
  return work(memory);
}

async function withKeptTaps<T>(work: Work<T>): Promise<T> {
  let answer: { of: T } | undefined;
  await transact('taps', (store) => {
    const reading: IDBRequest<Tap[]> = store.getAll();
    reading.onsuccess = () => {
      const before = new Map(reading.result.map((tap) => [tap.key, tap]));
      const taps = new Map(before);
      answer = { of: work(taps) };
      for (const tap of taps.values()) if (before.get(tap.key) !== tap) store.put(tap);
      for (const key of before.keys()) if (!taps.has(key)) store.delete(key);
    };
  });
  if (!answer) throw new Error('The taps were not read');
  return answer.of;
}

const notes = `${prefix}tap:`;

/**
 * A page that is left at once takes along what IndexedDB has not written yet. So a tap is noted beside it until it is
 * there: `localStorage` keeps what it is given before it returns.
 */
export async function keepTap(tap: Tap): Promise<void> {
  const note = notes + tap.key;
  attempt(() => localStorage.setItem(note, JSON.stringify(tap)));
  coming.set(tap.key, tap);
  await withTaps((taps) => taps.set(tap.key, tap));
  coming.delete(tap.key);
  attempt(() => localStorage.removeItem(note));
}

/** Brings what a page that was left has noted to the other taps. */
export async function keepNoted(): Promise<void> {
  for (const note of attempt(() => Object.keys(localStorage)) ?? []) {
    if (!note.startsWith(notes)) continue;
    await withTaps((taps) => {
      const text = localStorage.getItem(note); // gone, if another window has kept it meanwhile, and perhaps sent it
      const key = note.slice(notes.length);
      if (text && !taps.has(key)) taps.set(key, JSON.parse(text));
    });
    attempt(() => localStorage.removeItem(note));
  }
}

/** A browser may refuse to keep anything. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Not written yet: what is read meanwhile is older. */
const coming = new Map<string, Tap>();

/** Those of one user only, oldest first. */
export async function tapsOf(userId: string): Promise<Tap[]> {
  const kept = await withTaps((taps) => taps);
  return ofUser(new Map([...coming, ...kept]), userId);
}

const ofUser = (taps: ReadonlyMap<string, Tap>, userId: string) =>
  [...taps.values()].filter((tap) => tap.userId === userId).sort((one, other) => one.at - other.at);

/** All of a user who is gone. */
export const forgetTaps = (userId: string): Promise<void> =>
  withTaps((taps) => {
    for (const { key } of ofUser(taps, userId)) taps.delete(key);
  });

export const forgetTap = (key: string): Promise<boolean> => withTaps((taps) => taps.delete(key));

/** Changes what is still there, as it is there: another window may have sent or removed it meanwhile. False then. */
export const changeTap = (key: string, change: (tap: Tap) => Tap | null): Promise<boolean> =>
  withTaps((taps) => {
    const found = taps.get(key);
    const changed = found && change(found);
    if (changed) taps.set(key, changed);
    else taps.delete(key);
    return found !== undefined;
  });

/**
 * Those that are to be sent now, and are noted as sent from here on. First those that are to be undone: what counts once
 * must not find them.
 */
export const takeTaps = (userId: string, most: number): Promise<Tap[]> =>
  withTaps((taps) => {
    const due = ofUser(taps, userId).filter(({ refusal }) => !refusal);
    const undone = due.filter(({ isUndone }) => isUndone);
    const taken = (undone.length > 0 ? undone : due).slice(0, most).map((tap) => ({ ...tap, isSent: true }));
    for (const tap of taken) taps.set(tap.key, tap);
    return taken;
  });

/** A view is what was asked for: one that another version of this page has kept may lack some of it. */
interface Kept {
  shape: string;
  screen: unknown;
}

const put = (key: string, shape: string, screen: unknown): Promise<void> =>
  transact('screens', (screens) => screens.put({ shape, screen } satisfies Kept, key));

async function found<View>(key: string, shape: string): Promise<View | undefined> {
  let kept: Kept | undefined;
  await transact('screens', (screens) => {
    const reading = screens.get(key);
    reading.onsuccess = () => {
      kept = reading.result;
    };
  });
  return kept?.shape === shape ? (kept.screen as View) : undefined;
}

export const keepScreen = (screen: Screen): Promise<void> => put(screen.user.id, FIRST_SCREEN, screen);

export const screenOf = (userId: string): Promise<Screen | undefined> => found(userId, FIRST_SCREEN);

/** What else a user has opened, by the document that asked for it. */
export const keepView = (userId: string, name: string, shape: string, view: unknown): Promise<void> =>
  put(`${userId}/${name}`, shape, view);

export const viewOf = <View>(userId: string, name: string, shape: string): Promise<View | undefined> =>
  found(`${userId}/${name}`, shape);

export const forgetScreen = (userId: string): Promise<void> =>
  transact('screens', (screens) => {
    screens.delete(userId);
    screens.delete(IDBKeyRange.bound(`${userId}/`, `${userId}0`)); // '0' comes after '/'
  });
