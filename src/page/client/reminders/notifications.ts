import { openAddress } from '../shell/views.js';
import { get, knownIn, onChange } from '../sync/store.js';
import type { Screen } from '../sync/types.js';
import { groupOf, standingOf } from '../today/standing.js';

/** Put into each notification by the service. */
interface Rung {
  day: string;
  tasks: number[];
}

let isFollowed = false;

/** Notifications of this device go when nothing that they name is left to do, and a tap on one opens its habit. */
export function followNotifications(): void {
  if (isFollowed) return;
  isFollowed = true;
  let seen: Screen | null = null;
  const look = () => {
    const { screen, taps } = get();
    if (screen && (screen !== seen || taps.length > 0)) void closeDone(screen);
    seen = screen;
  };
  onChange(look);
  look();
  navigator.serviceWorker.addEventListener('message', ({ data }) => {
    openAddress(String(data?.open ?? ''), get().screen?.tasks ?? []);
  });
}

async function closeDone(screen: Screen): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration();
  const shown = (await registration?.getNotifications()) ?? [];
  const known = knownIn(get(), screen);
  for (const each of shown) {
    const { day, tasks = [] }: Partial<Rung> = each.data ?? {};
    const named = screen.tasks.filter(({ id }) => tasks.includes(Number(id)));
    const isLeft = day && named.some((task) => groupOf(standingOf(task, day, known)) === 'open');
    if (day && !isLeft) each.close();
  }
}
