import { ask, NoAnswer } from '../sync/api.js';
import { WEEK } from '../sync/later-documents.js';
import { keepView, viewOf } from '../sync/storage.js';
import { set } from '../sync/store.js';
import type { Day, Screen } from '../sync/types.js';
import { later, weekUpTo } from './days.js';
import { countsByDay, ofArchived } from './items.js';

/** Notes what habits that were archived in the last days asked for before. Without the service, as it was last. */
export async function noteArchived(screen: Screen): Promise<void> {
  const { archived, user } = screen;
  const isRecent = archived.some(({ archivedAt }) => archivedAt.slice(0, 10) >= later(user.today, -7));
  note(isRecent ? await readCounts(screen) : []);
}

export const forgetArchived = (): void => note([]);

type Counts = [userAndDate: string, counts: { asked: number; done: number }][];

function note(counts: Counts): void {
  ofArchived.clear();
  for (const [day, count] of counts) ofArchived.set(day, count);
  set({});
}

async function readCounts(screen: Screen): Promise<Counts> {
  const { id } = screen.user;
  try {
    const { me } = await ask<{ me: { calendar: Day[] } }>(WEEK, {});
    const counts = beyondList(screen, me.calendar);
    keepView(id, 'week', WEEK, counts).catch(() => {}); // it is for the next time without a network
    return counts;
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return (await viewOf<Counts>(id, 'week', WEEK).catch(() => undefined)) ?? [];
  }
}

/** What the service counts beyond the habits in use. Today is told by the list alone, which knows of each tap. */
function beyondList(screen: Screen, told: readonly Day[]): Counts {
  const { user } = screen;
  const known = { taps: [], isOnline: true, zone: user, today: user.today, pauses: user.pauses };
  forgetArchived();
  const ofList = countsByDay(screen, weekUpTo(user.today), known);
  return told.flatMap(({ date, dueCount, keptCount }) => {
    const own = ofList.find((day) => day.date === date && date < user.today);
    const counts = { asked: (dueCount ?? 0) - (own?.asked ?? 0), done: keptCount - (own?.done ?? 0) };
    return own ? [[user.id + date, counts]] : [];
  });
}
