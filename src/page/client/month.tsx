import { useState } from 'preact/hooks';
import { Button } from './button.js';
import { skipDay, unskipDay } from './changes.js';
import { dateOf, dayByKey } from './day-keys.js';
import { codeOf, dateInWords, later, monthOf, WEEKDAYS, WINDOW, weekdayOf } from './days.js';
import { progressOf, standingOf } from './standing.js';
import { knownIn, type State } from './store.js';
import { tap } from './taps.js';
import type { DayState, HabitDay, Screen, Task } from './types.js';
import { openEntry } from './views.js';

const WORDS: Record<DayState, string> = {
  KEPT: 'kept',
  PARTIAL: 'partly done',
  MISSED: 'missed',
  SKIPPED: 'skipped',
  PAUSED: 'paused',
  REST: 'not due',
  DUE: 'still to do',
  FUTURE: 'to come',
};

const SHAPES: Record<DayState, string> = {
  KEPT: 'm5 13 4.500 4.500L19 7',
  PARTIAL: 'M12 4a8 8 0 0 1 0 16z',
  MISSED: 'm6 6 12 12M18 6 6 18',
  SKIPPED: 'm5 6 6 6-6 6m8-12 6 6-6 6',
  PAUSED: 'M8 5v14m8-14v14',
  REST: 'M12 12v.01',
  DUE: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16',
  FUTURE: '',
};

const classOf = (state: DayState) => `is-${state.toLowerCase()}`;

const Shape = ({ state }: { state: DayState }) => (
  <svg class="shape" viewBox="0 0 24 24" aria-hidden="true">
    <path d={SHAPES[state]} />
  </svg>
);

export const firstOfMonth = (date: string): string => `${date.slice(0, 8)}01`;

export const lastOfMonth = (date: string): string => later(firstOfMonth(later(firstOfMonth(date), 31)), -1);

const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

interface MonthProps {
  task: Task;
  days: readonly HabitDay[];
  state: State;
  screen: Screen;
  addEarlier: () => Promise<unknown>;
}

/** A month of days, each of which says what it was, and can be put right in the window. */
export function Month({ task, days, state, screen, addEarlier }: MonthProps) {
  const { today, weekStartsOn } = screen.user;
  const [date, setDate] = useState(today);
  const first = firstOfMonth(date);
  const dates = Array.from({ length: Number(lastOfMonth(date).slice(8)) }, (_, index) => later(first, index));
  const known = knownIn(state, screen);
  const byDate = new Map(days.map((day) => [day.date, day]));
  const stateOf = (day: string): DayState =>
    isNear(day, today)
      ? standingOf(task, day, known).state
      : (byDate.get(day)?.state ?? (day > today ? 'FUTURE' : 'REST'));

  const go = async (to: string) => {
    if (to < (days[0]?.date ?? '')) await addEarlier();
    setDate(to);
  };
  const press = (event: KeyboardEvent) => {
    const next = dayByKey(event, dates, STEPS);
    if (next) setDate(next);
  };
  const offset =
    (weekdayOf(first) - WEEKDAYS.findIndex((_name, index) => codeOf(index) === weekStartsOn) + 7) % 7;
  const cells = Array.from({ length: offset + dates.length }, (_, index) => later(first, index - offset));
  const weeks = Array.from({ length: Math.ceil(cells.length / 7) }, (_, week) =>
    cells.slice(week * 7, week * 7 + 7),
  );
  const shown = [...new Set(dates.map(stateOf))].filter((each) => each !== 'FUTURE');
  return (
    <section aria-label="Month">
      <div class="month-head">
        <Button label="Month before" act={() => go(firstOfMonth(later(first, -1)))}>
          ‹
        </Button>
        <h3>
          {monthOf(date)} {date.slice(0, 4)}
        </h3>
        <Button
          label="Month after"
          isOff={first >= firstOfMonth(today)}
          act={() => go(later(lastOfMonth(date), 1))}
        >
          ›
        </Button>
      </div>
      <table class="month" onKeyDown={press} onClick={({ target }) => setDate(dateOf(target) ?? date)}>
        <caption class="hidden">What each day was</caption>
        <thead>
          <tr>
            {WEEKDAYS.map((_name, index) => {
              const name = WEEKDAYS[(weekdayOf(first) - offset + index + 7) % 7] ?? '';
              return (
                <th key={name} scope="col">
                  <span aria-hidden="true">{name.slice(0, 2)}</span>
                  <span class="hidden">{name}</span>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]}>
              {week.map((day) =>
                day >= first ? (
                  <td key={day}>
                    <button
                      type="button"
                      class={classOf(stateOf(day))}
                      data-date={day}
                      aria-pressed={day === date}
                      aria-current={day === today ? 'date' : undefined}
                      tabIndex={day === date ? 0 : -1}
                    >
                      <span aria-hidden="true">{Number(day.slice(8))}</span>
                      <Shape state={stateOf(day)} />
                      <span class="hidden">
                        {dateInWords(day)}: {WORDS[stateOf(day)]}
                      </span>
                    </button>
                  </td>
                ) : (
                  <td key={day} />
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
      <ul class="legend" aria-hidden="true">
        {shown.map((each) => (
          <li key={each} class={classOf(each)}>
            <Shape state={each} /> {WORDS[each]}
          </li>
        ))}
      </ul>
      <ShownDay
        task={task}
        day={byDate.get(date)}
        date={date}
        is={stateOf(date)}
        state={state}
        screen={screen}
      />
    </section>
  );
}

const isNear = (date: string, today: string) => later(today, -WINDOW) <= date && date <= today;

interface ShownDayProps {
  task: Task;
  date: string;
  day: HabitDay | undefined;
  is: DayState;
  state: State;
  screen: Screen;
}

/** The chosen day: what it was, and what can be done about it. */
function ShownDay({ task, date, day, is, state, screen }: ShownDayProps) {
  const { today } = screen.user;
  const canChange = isNear(date, today);
  const canSkip = canChange ? is === 'DUE' || is === 'MISSED' || is === 'REST' : is === 'FUTURE';
  const standing = standingOf(task, date, knownIn(state, screen));
  const amount = canChange ? standing : (day ?? standing);
  return (
    <div class="shown-day">
      <p>
        <strong>{dateInWords(date)}</strong>:{' '}
        {[WORDS[is], date <= today && progressOf(task, amount)].filter(Boolean).join(', ')}
      </p>
      {day && <p class="about noted">{day.notes.join('\n')}</p>}
      <div class="buttons">
        {canChange && (
          <>
            <Button kind="primary" act={() => tap(task, date)}>
              {standing.isKept ? 'Take it back' : task.target ? 'Add' : 'Done'}
            </Button>
            <Button act={() => openEntry(task, date)}>{task.target ? 'Amount and note' : 'Note'}</Button>
          </>
        )}
        {canSkip && <Button act={() => skipDay(task.id, date)}>Skip</Button>}
        {is === 'SKIPPED' && (canChange || date > today) && (
          <Button act={() => unskipDay(task.id, date)}>Do not skip</Button>
        )}
      </div>
    </div>
  );
}
