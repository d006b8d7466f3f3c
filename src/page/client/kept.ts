import { FIRST_SCREEN } from './documents.js';
import { MemoryStore } from './memory.js';
import { prefix } from './place.js';
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

let memory: MemoryStore | undefined;

/** Whether taps that wait outlast this window. */
export const isOnDevice = (): boolean => !memory;

type Work<T> = (store: IDBObjectStore) => IDBRequest<T>;

/** One transaction. Where the browser keeps nothing, even when it is asked twice, taps are sent all the same. */
async function inTaps<T>(mode: IDBTransactionMode, work: Work<T>): Promise<T> {
  for (let attempt = 1; attempt <= 2 && !memory; attempt += 1) {
    try {
      return await inDatabase('taps', mode, work);
    } catch {
      close();
    }
  }
  memory ??= await readable();
  const request = work(memory as unknown as IDBObjectStore);
  await Promise.resolve(); // what follows in the same transaction is done
  return request.result;
}

/** A disk that is full can be read: what waits on it is sent too. */
async function readable(): Promise<MemoryStore> {
  const taps: Tap[] = await inDatabase('taps', 'readonly', (all) => all.getAll()).catch(() => []);
  return memory ?? new MemoryStore(taps);
}

/** Its requests follow each other. Resolves when it is on the disk. */
async function inDatabase<T>(name: string, mode: IDBTransactionMode, work: Work<T>): Promise<T> {
  const database = await open();
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(name, mode, { durability: 'strict' });
    const request = work(transaction.objectStore(name));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error);
  });
}

const notes = `${prefix}tap:`;

/**
 * A page that is left at once takes along what IndexedDB has not written yet. So a tap is noted beside it until it is
 * there: `localStorage` keeps what it is given before it returns.
 */
export async function keepTap(tap: Tap): Promise<void> {
  const note = notes + tap.key;
  attempt(() => localStorage.setItem(note, JSON.stringify(tap)));
  await inTaps('readwrite', (taps) => taps.put(tap));
  attempt(() => localStorage.removeItem(note));
}

/** Brings what a page that was left has noted to the other taps. */
export async function keepNoted(): Promise<void> {
  for (const note of attempt(() => Object.keys(localStorage)) ?? []) {
    if (!note.startsWith(notes)) continue;
    await inTaps('readwrite', (taps) => {
      const request: IDBRequest<Tap | undefined> = taps.get(note.slice(notes.length));
      request.onsuccess = () => {
        const tap = localStorage.getItem(note); // gone, if another window has kept it meanwhile, and perhaps sent it
        if (tap && !request.result) taps.put(JSON.parse(tap));
      };
      return request;
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

/** Those of one user only, oldest first. */
export async function tapsOf(userId: string): Promise<Tap[]> {
  const all: Tap[] = await inTaps('readonly', (taps) => taps.getAll());
  return ofUser(all, userId);
}

const ofUser = (all: readonly Tap[], userId: string) =>
  all.filter((tap) => tap.userId === userId).sort((one, other) => one.at - other.at);

/** All of a user who is gone. */
export async function forgetTaps(userId: string): Promise<void> {
  for (const { key } of await tapsOf(userId)) await forgetTap(key);
}

export const forgetTap = (key: string): Promise<unknown> => inTaps('readwrite', (taps) => taps.delete(key));

/** Changes what is still there, as it is there: another window may have sent or removed it meanwhile. False then. */
export async function changeTap(key: string, change: (tap: Tap) => Tap | null): Promise<boolean> {
  const found = await inTaps('readwrite', (taps) => {
    const request: IDBRequest<Tap | undefined> = taps.get(key);
    request.onsuccess = () => {
      if (!request.result) return;
      const changed = change(request.result);
      if (changed) taps.put(changed);
      else taps.delete(key);
    };
    return request;
  });
  return found !== undefined;
}

/** Those that are to be sent now, and are noted as sent from here on. */
export async function takeTaps(userId: string, most: number): Promise<Tap[]> {
  let taken: Tap[] = [];
  await inTaps('readwrite', (taps) => {
    const request: IDBRequest<Tap[]> = taps.getAll();
    request.onsuccess = () => {
      const due = ofUser(request.result, userId).filter(({ refusal }) => !refusal);
      taken = due.slice(0, most).map((tap) => ({ ...tap, isSent: true }));
      for (const tap of taken) taps.put(tap);
    };
    return request;
  });
  return taken;
}

/** What was asked for tells what a screen is made of: one that another version of this page has kept may lack some of it. */
const shape = FIRST_SCREEN;

export const keepScreen = (screen: Screen): Promise<unknown> =>
  inDatabase('screens', 'readwrite', (screens) => screens.put({ shape, screen }, screen.user.id));

export async function screenOf(userId: string): Promise<Screen | undefined> {
  const found: { shape?: string; screen: Screen } | undefined = await inDatabase(
    'screens',
    'readonly',
    (screens) => screens.get(userId),
  );
  return found?.shape === shape ? found.screen : undefined;
}

export const forgetScreen = (userId: string): Promise<unknown> =>
  inDatabase('screens', 'readwrite', (screens) => screens.delete(userId));
