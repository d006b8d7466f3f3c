import { useMemo } from 'preact/hooks';
import { knownIn, type State, set, shownDay } from '../sync/store.js';
import type { Screen } from '../sync/types.js';
import { Ring } from '../ui/icons.js';
import { t } from '../ui/language.js';
import { codeOf, shortDate, shortName, weekUpTo } from './days.js';
import { countsByDay } from './items.js';

/** The last seven days: the list below is that of the chosen one. */
export function Strip({ screen, state }: { screen: Screen; state: State }) {
  const { user } = screen;
  const day = shownDay(state, screen);
  const counts = countsByDay(screen, weekUpTo(user.today), knownIn(state, screen));
  return (
    <fieldset class="strip" aria-label={t.list.lastSeven}>
      {counts.map((count) => (
        <Day key={count.date} {...count} isToday={count.date === user.today} isChosen={count.date === day} />
      ))}
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

const Day = ({ date, isToday, isChosen, done, asked }: DayProps) =>
  useMemo(
    () => (
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
        <span class="hidden">
          {asked > 0 ? t.list.doneOf(done, asked) : isToday ? t.list.nothingDue : t.list.nothingWasDue}
        </span>
      </button>
    ),
    [date, isToday, isChosen, done, asked],
  );
