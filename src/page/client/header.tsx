import { openAccount } from './account-view.js';
import { now } from './clock.js';
import { endOfDay, spanOf, timeIn } from './days.js';
import { openKeys } from './keys-list.js';
import { Logo } from './logo.js';
import { openSettings } from './settings.js';
import type { State } from './store.js';
import type { User } from './types.js';
import { inDays } from './words.js';

export function Header({ state: { screen, session, isListDrawn } }: { state: State }) {
  return (
    <header class="top">
      <div class="bar">
        <Logo />
        <p class="name">Steady</p>
        {session?.token && (
          <>
            <button type="button" class="quiet for-keyboards" onClick={openKeys}>
              Keys
            </button>
            <button type="button" class="quiet" onClick={openSettings}>
              Settings
            </button>
            <button type="button" class="quiet" onClick={openAccount}>
              Account
            </button>
          </>
        )}
      </div>
      {screen && <Standing user={screen.user} end={isListDrawn && endOf(screen.user)} />}
    </header>
  );
}

/** When the day ends comes after the list: browsers take long to load what they know of time zones. */
function Standing({ user, end }: { user: User; end: string | false }) {
  const { streak, points, name } = user;
  const standing = [
    ['Streak', inDays(streak.days)],
    ['Points', points.toLocaleString('en')],
    ['Longest streak', inDays(streak.longest)],
  ];
  return (
    <div class="standing">
      <h1>Hello, {name}</h1>
      <dl>
        {standing.map(([what, value]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p class="about">
        {end} {streak.atRisk && <strong>Nothing is done yet: your streak is at risk.</strong>}
      </p>
    </div>
  );
}

function endOf(user: User): string {
  const end = endOfDay(now(), user);
  return `Today ends in ${spanOf(end - now())}, at ${timeIn(end, user.timeZone)} your time (${user.timeZone}).`;
}
