import '../habit/habit.css';
import './board.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import { firstOfMonth, lastOfMonth } from '../habit/month.js';
import { failed } from '../shell/screen.js';
import { openHabit } from '../shell/views.js';
import { ask } from '../sync/api.js';
import { BOARD } from '../sync/later-documents.js';
import { knownIn, type State } from '../sync/store.js';
import type { DayState, Task } from '../sync/types.js';
import { dateInWords, later, monthOf } from '../today/days.js';
import { standingOf } from '../today/standing.js';
import { Button } from '../ui/button.js';
import { colourOf } from '../ui/icons.js';
import { t } from '../ui/language.js';

interface BoardPage {
  nodes: { id: string; calendar: { date: string; state: DayState }[] }[];
  pageInfo: { hasNextPage: boolean; endCursor: string };
}

/** By the id of each habit: what its days were. */
type Months = Map<string, Map<string, DayState>>;

const WITHOUT_MARK: readonly DayState[] = ['REST', 'FUTURE'];

/** All habits by day for a month, at one glance. */
export function Board({ state }: { state: State }) {
  const { screen } = state;
  const today = screen?.user.today ?? '';
  const [first, setFirst] = useState(firstOfMonth(today));
  const months = useMonth(first, today);
  const frame = useRef<HTMLElement>(null);
  const isThisMonth = first >= firstOfMonth(today);
  // Not earlier: nothing has a place before the dialog is open.
  useEffect(() => {
    const place = frame.current?.querySelector('.is-today');
    place?.scrollIntoView({ inline: 'end', block: 'nearest' }); // with the days before it
    if (!isThisMonth) frame.current?.scrollTo({ left: 0 });
  }, [isThisMonth]);
  if (!screen) return null;
  const dates = Array.from({ length: Number(lastOfMonth(first).slice(8)) }, (_, index) =>
    later(first, index),
  );
  const known = knownIn(state, screen);
  const stateOn = (task: Task, date: string): DayState => {
    const isNear = task.days.some((day) => day.date === date) && date <= today;
    return isNear ? standingOf(task, date, known).state : (months?.get(task.id)?.get(date) ?? 'REST');
  };
  const rows = screen.tasks.map((task) => ({ task, states: dates.map((date) => stateOn(task, date)) }));
  const shown = new Set(rows.flatMap(({ states }) => states.filter((each) => !WITHOUT_MARK.includes(each))));
  return (
    <section class="board" aria-label={t.board.title}>
      <div class="month-head">
        <Button label={t.habit.monthBefore} act={() => setFirst(firstOfMonth(later(first, -1)))}>
          ‹
        </Button>
        <h3>{monthOf(first)}</h3>
        <Button
          label={t.habit.monthAfter}
          isOff={isThisMonth}
          act={() => setFirst(firstOfMonth(later(first, 31)))}
        >
          ›
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keys too */}
      <section class="board-frame" tabIndex={0} aria-label={monthOf(first)} ref={frame}>
        <table>
          <caption class="hidden">{t.board.caption}</caption>
          <Dates dates={dates} today={today} />
          <tbody>
            {rows.map(({ task, states }) => (
              <BoardRow key={task.id} task={task} dates={dates} states={states} />
            ))}
          </tbody>
        </table>
      </section>
      <Legend states={[...shown]} />
      {!months && <p class="about">{t.common.loading}</p>}
    </section>
  );
}

const Legend = ({ states }: { states: readonly DayState[] }) => (
  <ul class="legend" aria-hidden="true">
    {states.map((each) => (
      <li key={each}>
        <i class={`day is-${each.toLowerCase()}`} /> {t.states[each]}
      </li>
    ))}
  </ul>
);

const Dates = ({ dates, today }: { dates: readonly string[]; today: string }) => (
  <thead>
    <tr>
      <td />
      {dates.map((date) => (
        <th key={date} scope="col" class={date === today ? 'is-today' : undefined}>
          {Number(date.slice(8))}
        </th>
      ))}
    </tr>
  </thead>
);

interface BoardRowProps {
  task: Task;
  dates: readonly string[];
  states: readonly DayState[];
}

const BoardRow = ({ task, dates, states }: BoardRowProps) => (
  <tr class={colourOf(task)}>
    <th scope="row">
      <Button kind="link" act={() => openHabit(task)}>
        <span aria-hidden="true">{task.icon}</span> <span dir="auto">{task.title}</span>
      </Button>
    </th>
    {states.map((each, index) => (
      <td key={dates[index]} class={`day is-${each.toLowerCase()}`}>
        <span class="hidden">{t.said(dateInWords(dates[index] ?? ''), t.states[each])}</span>
      </td>
    ))}
  </tr>
);

/** Undefined until it is known. */
function useMonth(first: string, today: string): Months | undefined {
  const [months, setMonths] = useState<Months>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another day is another board
  useEffect(() => {
    let isOver = false;
    const read = async () => {
      const found: Months = new Map();
      let after: string | null = null;
      do {
        const variables: object = { first, last: lastOfMonth(first), after };
        const { tasks }: { tasks: BoardPage } = await ask(BOARD, variables);
        for (const { id, calendar } of tasks.nodes)
          found.set(id, new Map(calendar.map(({ date, state }) => [date, state])));
        after = tasks.pageInfo.hasNextPage ? tasks.pageInfo.endCursor : null;
      } while (after);
      if (!isOver) setMonths(found);
    };
    read().catch(failed);
    return () => {
      isOver = true;
    };
  }, [first, today]);
  return months;
}
