import { codeOf, shortDate, shortName, weekUpTo } from './days.js';
import { Ring } from './icons.js';
import { placeOf } from './items.js';
import { t } from './language.js';
import { knownIn, type State, set, shownDay } from './store.js';
import type { Screen } from './types.js';

/** The last seven days: the list below is that of the chosen one. */
export function Strip({ screen, state }: { screen: Screen; state: State }) {
  const { tasks, user } = screen;
  const [known, day] = [knownIn(state, screen), shownDay(state, screen)];
  return (
    <fieldset class="strip" aria-label={t.list.lastSeven}>
      {weekUpTo(user.today).map((date) => {
        const groups = tasks.map((task) => placeOf(task, date, user, known));
        const done = groups.filter((group) => group === 'done').length;
        const asked = done + groups.filter((group) => group === 'due').length;
        const choose = () => set({ day: date === user.today ? null : date, toast: null });
        return (
          <button key={date} type="button" aria-pressed={date === day} data-day={date} onClick={choose}>
            <span aria-hidden="true">{shortName(codeOf(date))}</span>
            <span class="hidden">{shortDate(date)},</span>
            <span class="number" aria-hidden="true">
              <Ring status="open" share={asked > 0 ? done / asked : 0} />
              <span>{Number(date.slice(8))}</span>
            </span>
            <span class="hidden">{t.list.doneOf(done, asked)}</span>
          </button>
        );
      })}
    </fieldset>
  );
}
