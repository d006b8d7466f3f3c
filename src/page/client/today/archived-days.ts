import { askOrKept } from '../sync/api.js';
import { WEEK } from '../sync/later-documents.js';
import { set } from '../sync/store.js';
import type { Day, Screen } from '../sync/types.js';
import { later, weekUpTo } from './days.js';
import { countsByDay, ofArchived } from './items.js';

type Counts = [userAndDate: string, counts: { asked: number; done: number }][];

/** Notes what habits that were archived in the last days asked for before. Answers how to leave it. */
export function noteArchived(screen: Screen): () => void {
  let isOver = false;
  void readCounts(screen).then((counts) => isOver || note(counts));
  return () => {
    isOver = true;
  };
}

export const forgetArchived = (): void => note([]);

function note(counts: Counts): void {
  ofArchived.clear();
  for (const [day, count] of counts) ofArchived.set(day, count);
  set({});
}

async function readCounts(screen: Screen): Promise<Counts> {
  const { archived, user } = screen;
  const isRecent = archived.some(({ archivedAt }) => archivedAt.slice(0, 10) >= later(user.today, -7));
  if (!isRecent) return [];
  const countsIn = ({ me }: { me: { calendar: Day[] } }) => beyondList(screen, me.calendar);
  return (await askOrKept(user.id, 'week', WEEK, countsIn)) ?? [];
}

/** What the service counts beyond the habits in use. Today is told by the list alone, which knows of each tap. */
function beyondList(screen: Screen, told: readonly Day[]): Counts {
  const { user } = screen;
  const known = { taps: [], isOnline: true, zone: user, today: user.today, pauses: user.pauses };
  const shown = countsByDay(screen, weekUpTo(user.today), known);
  return told.flatMap(({ date, dueCount, keptCount }) => {
    const day = shown.find((each) => each.date === date && date < user.today);
    if (!day) return [];
    const before = ofArchived.get(user.id + date);
    const asked = (dueCount ?? 0) - day.asked + (before?.asked ?? 0);
    const done = keptCount - day.done + (before?.done ?? 0);
    return [[user.id + date, { asked, done }]];
  });
}
