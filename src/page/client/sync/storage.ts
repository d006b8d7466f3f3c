import { databaseOf } from '../../../../packages/client/src/database.js';
import { prefix } from '../shell/paths.js';
import { FIRST_SCREEN } from './documents.js';
import { keptTaps, ofUser, type WithTaps } from './kept-taps.js';
import type { Screen, Tap } from './types.js';

// What stays on this device, in IndexedDB: taps until the service has confirmed them, and the last screen of a user.

const { close, transact } = databaseOf(prefix, (database) => {
  database.createObjectStore('taps', { keyPath: 'key' });
  database.createObjectStore('screens');
});

/** Taps by their keys: where the browser keeps nothing, they last as long as the window. */
let memory: Map<string, Tap> | undefined;

/** Whether taps that wait outlast this window. */
export const isOnDevice = (): boolean => !memory;

/** Where nothing is kept, even when it is asked twice, taps are sent all the same. */
const withTaps: WithTaps = async (work) => {
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
};

const withKeptTaps: WithTaps = (work) =>
  transact('taps', (store) => {
    const answer = {} as { result: ReturnType<typeof work> };
    const reading: IDBRequest<Tap[]> = store.getAll();
    reading.onsuccess = () => {
      const before = new Map(reading.result.map((tap) => [tap.key, tap]));
      const taps = new Map(before);
      answer.result = work(taps);
      for (const tap of taps.values()) if (before.get(tap.key) !== tap) store.put(tap);
      for (const key of before.keys()) if (!taps.has(key)) store.delete(key);
    };
    return answer;
  });

export const waitingTaps = keptTaps(withTaps);

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

/** All of a user who is gone. */
export const forgetTaps = (userId: string): Promise<void> =>
  withTaps((taps) => {
    for (const { key } of ofUser(taps, userId)) taps.delete(key);
  });

export const forgetTap = (key: string): Promise<boolean> => waitingTaps.change(key, () => null);

/** A view is what was asked for: one that another version of this page has kept may lack some of it. */
interface Kept {
  shape: string;
  screen: unknown;
}

const put = (key: string, shape: string, screen: unknown) =>
  transact('screens', (screens) => screens.put({ shape, screen } satisfies Kept, key));

async function found<View>(key: string, shape: string): Promise<View | undefined> {
  const kept = await transact<Kept | undefined>('screens', (screens) => screens.get(key), 'readonly');
  return kept?.shape === shape ? (kept.screen as View) : undefined;
}

export const keepScreen = (screen: Screen) => put(screen.user.id, FIRST_SCREEN, screen);

export const screenOf = (userId: string): Promise<Screen | undefined> => found(userId, FIRST_SCREEN);

/** What else a user has opened, by the document that asked for it. */
export const keepView = (userId: string, name: string, shape: string, view: unknown) =>
  put(`${userId}/${name}`, shape, view);

export const viewOf = <View>(userId: string, name: string, shape: string): Promise<View | undefined> =>
  found(`${userId}/${name}`, shape);

export const forgetScreen = (userId: string) =>
  transact('screens', (screens) => {
    screens.delete(userId);
    return screens.delete(IDBKeyRange.bound(`${userId}/`, `${userId}0`)); // '0' comes after '/'
  });
