import type { State } from '../sync/store.js';
import { shortDate } from '../today/days.js';
import { toggleSearch } from '../today/today.js';
import { Button } from '../ui/button.js';
import { Logo, Sign } from '../ui/icons.js';
import { t } from '../ui/language.js';
import { openAccount, openBoard, openSettings, openTaskForm } from './views.js';

export const Header = ({ state: { screen } }: { state: State }) => (
  <header class="bar top">
    <Logo />
    <h1>
      {screen ? (
        <>
          <time dateTime={screen.user.today}>{shortDate(screen.user.today)}</time>{' '}
          <span class="greeting">{greeting(screen.user.name)}</span>
        </>
      ) : (
        'Steady'
      )}
    </h1>
    <div class="dock">
      {screen && screen.tasks.length > 0 && (
        <>
          <Button kind="sign-button" label={t.list.search} act={toggleSearch}>
            <Sign of="search" />
          </Button>
          <Button kind="sign-button" label={t.board.title} act={openBoard}>
            <Sign of="board" />
          </Button>
        </>
      )}
      {screen && (
        <Button kind="primary sign-button" label={t.list.newHabit} act={() => openTaskForm()}>
          <Sign of="plus" />
        </Button>
      )}
      <Button kind="sign-button" label={t.settings.title} act={screen ? openSettings : openAccount}>
        <Sign of="gear" />
      </Button>
    </div>
  </header>
);

function greeting(name: string): string {
  const hour = new Date().getHours();
  if (hour < 5 || hour >= 18) return t.greeting.evening(name);
  return hour < 12 ? t.greeting.morning(name) : t.greeting.day(name);
}
