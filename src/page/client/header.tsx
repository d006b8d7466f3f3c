import { openAccount } from './account-view.js';
import { AfterPaint } from './after-paint.js';
import { Button } from './button.js';
import { now } from './clock.js';
import { endOfDay, inDays, spanOf, timeIn } from './days.js';
import { Logo } from './icons.js';
import { openKeys } from './keyboard.js';
import { openSettings } from './settings.js';
import type { State } from './store.js';
import type { User } from './types.js';

export const Header = ({ state: { screen, session } }: { state: State }) => (
  <header class="top">
    <div class="bar">
      <Logo />
      <p class="name">Steady</p>
      {session?.token && (
        <>
          <Button kind="quiet for-keyboards" act={openKeys}>
            Shortcuts
          </Button>
          <Button act={openSettings}>Settings</Button>
          <Button act={openAccount}>Account</Button>
        </>
      )}
    </div>
    {screen && <Standing user={screen.user} />}
  </header>
);

function Standing({ user }: { user: User }) {
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
        <AfterPaint>
          <DayEnd user={user} />
        </AfterPaint>
        {streak.atRisk && <strong>Nothing is done yet: your streak is at risk.</strong>}
      </p>
    </div>
  );
}

/** Browsers take long to load what they know of time zones. */
function DayEnd({ user }: { user: User }) {
  const end = endOfDay(now(), user);
  return (
    <>
      Today ends in {spanOf(end - now())}, at {timeIn(end, user.timeZone)} ({user.timeZone}).{' '}
    </>
  );
}
