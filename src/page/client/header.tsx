import { now } from './clock.js';
import { endOfDay, spanOf, timeIn } from './days.js';
import { Logo } from './logo.js';
import { type State, set } from './store.js';
import type { User } from './types.js';
import { inDays } from './words.js';

export function Header({ state: { screen, session } }: { state: State }) {
  return (
    <header class="top">
      <div class="bar">
        <Logo />
        <p class="name">Steady</p>
        {session?.token && (
          <>
            <button
              type="button"
              class="quiet for-keyboards"
              onClick={() => set({ dialog: { kind: 'keys' } })}
            >
              Keys
            </button>
            <button type="button" class="quiet" onClick={() => set({ dialog: { kind: 'settings' } })}>
              Settings
            </button>
          </>
        )}
      </div>
      {screen && <Standing user={screen.user} />}
    </header>
  );
}

function Standing({ user }: { user: User }) {
  const { streak, points, name } = user;
  return (
    <section class="standing" aria-labelledby="hello">
      <h1 id="hello">Hello, {name}</h1>
      <dl>
        <div>
          <dt>Streak</dt>
          <dd>
            <strong>{inDays(streak.days)}</strong>
          </dd>
        </div>
        <div>
          <dt>Points</dt>
          <dd>
            <strong>{points.toLocaleString('en')}</strong>
          </dd>
        </div>
        <div>
          <dt>Longest streak</dt>
          <dd>
            <strong>{inDays(streak.longest)}</strong>
          </dd>
        </div>
      </dl>
      <p class="ends">
        {endOf(user)} {streak.atRisk && <strong>Nothing is done yet: your streak is at risk.</strong>}
      </p>
    </section>
  );
}

function endOf(user: User): string {
  const end = endOfDay(now(), user);
  return `Today ends in ${spanOf(end - now())}, at ${timeIn(end, user.timeZone)} your time (${user.timeZone}).`;
}
