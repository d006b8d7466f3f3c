import { codeOf, shortDate, shortName, weekUpTo } from './days.js';
import { Ring } from './icons.js';
import { isDoneIn, placeOf } from './items.js';
import { t } from './language.js';
import { memo } from './memo.js';
import { standingOf } from './standing.js';
import { knownIn, type State, set, shownDay } from './store.js';
import type { Screen } from './types.js';

/** The last seven days: the list below is that of the chosen one. */
export function Strip({ screen, state }: { screen: Screen; state: State }) {
  const { tasks, user } = screen;
  const [known, day] = [knownIn(state, screen), shownDay(state, screen)];
  return (
    <fieldset class="strip" aria-label={t.list.lastSeven}>
      {weekUpTo(user.today).map((date) => {
        const places = tasks.map((task) => placeOf(task, date, user, known));
        const done = tasks.filter((task, index) =>
          isDoneIn(places[index] ?? 'rest', task, standingOf(task, date, known)),
        ).length;
        const asked = done + places.filter((place) => place === 'due').length;
        return (
          <Day
            key={date}
            date={date}
            isToday={date === user.today}
            isChosen={date === day}
            done={done}
            asked={asked}
          />
        );
      })}
    </fieldset>
  );
}

interface DayProps {
  date: string;
  isToday: boolean;
  isChosen: boolean;
  done: number;
  asked: number;
}

const Day = memo(({ date, isToday, isChosen, done, asked }: DayProps) => (
  <button
    type="button"
    aria-pressed={isChosen}
    data-day={date}
    onClick={() => set({ day: isToday ? null : date, toast: null })}
  >
    <span aria-hidden="true">{shortName(codeOf(date))}</span>
    <span class="hidden">{shortDate(date)},</span>
    <span class="number" aria-hidden="true">
      <Ring status="open" share={asked > 0 ? done / asked : 0} />
      <span>{Number(date.slice(8))}</span>
    </span>
    <span class="hidden">{t.list.doneOf(done, asked)}</span>
  </button>
));
