import { useState } from 'preact/hooks';
import { openEntry } from '../shell/views.js';
import { knownIn, type State } from '../sync/store.js';
import { undo } from '../sync/taps.js';
import type { DayState, HabitDay, Screen, Task, User } from '../sync/types.js';
import {
  dateInWords,
  later,
  monthOf,
  nameOf,
  shortName,
  WEEKDAYS,
  WINDOW,
  weekdayOf,
  weekFrom,
} from '../today/days.js';
import { press } from '../today/press.js';
import { dayOf, isToggledOff, progressOf, standingOf } from '../today/standing.js';
import { allowsNone, isLimit } from '../today/target.js';
import { Button } from '../ui/button.js';
import { dateOf, dayByKey } from '../ui/day-keys.js';
import { t } from '../ui/language.js';
import { skip, skippingOf, unskip } from './skipping.js';

const SHAPES: Record<DayState, string> = {
  KEPT: 'm5 13 4.500 4.500L19 7',
  PARTIAL: 'M12 4a8 8 0 0 1 0 16z',
  MISSED: 'm6 6 12 12M18 6 6 18',
  SKIPPED: 'm5 6 6 6-6 6m8-12 6 6-6 6',
  PAUSED: 'M8 5v14m8-14v14',
  REST: 'M12 12v.01',
  OPEN: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16',
  FUTURE: '',
  WITHIN: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8',
  EXCEEDED: 'M12 5v9m0 5v.01',
};

const classOf = (state: DayState) => `is-${state.toLowerCase()}`;

/** Of what was begun: up to a third, up to two, more. Kept is the fourth step. */
const PARTS = ['M12 4a8 8 0 0 1 8 8h-8z', SHAPES.PARTIAL, 'M12 4a8 8 0 1 1-8 8h8z'];

const Shape = ({ state, share = 0.5 }: { state: DayState; share?: number }) => (
  <svg class="shape" viewBox="0 0 24 24" aria-hidden="true">
    <path d={(state === 'PARTIAL' && PARTS[Math.min(2, Math.ceil(3 * share) - 1)]) || SHAPES[state]} />
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
  const { today } = screen.user;
  const [date, setDate] = useState(today);
  const first = firstOfMonth(date);
  const known = knownIn(state, screen);
  const byDate = new Map(days.map((day) => [day.date, day]));
  const stateOf = (day: string): DayState =>
    isNear(day, today)
      ? standingOf(task, day, known).state
      : (byDate.get(day)?.state ?? (day > today ? 'FUTURE' : 'REST'));
  const shareOf = (day: string): number => {
    const amount = isNear(day, today) ? standingOf(task, day, known).amount : (byDate.get(day)?.amount ?? 0);
    return task.target ? amount / task.target.amount : 0.5;
  };
  const go = async (to: string) => {
    if (to < (days[0]?.date ?? '')) await addEarlier();
    setDate(to);
  };
  return (
    <section aria-label={t.habit.month}>
      <div class="month-head">
        <Button label={t.habit.monthBefore} act={() => go(firstOfMonth(later(first, -1)))}>
          ‹
        </Button>
        <h3>{monthOf(date)}</h3>
        <Button
          label={t.habit.monthAfter}
          isOff={first >= firstOfMonth(today)}
          act={() => go(later(lastOfMonth(date), 1))}
        >
          ›
        </Button>
      </div>
      <Days date={date} user={screen.user} stateOf={stateOf} shareOf={shareOf} choose={setDate} />
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

interface DaysProps {
  /** The chosen one: its month is shown. */
  date: string;
  user: User;
  stateOf: (day: string) => DayState;
  /** Of what was begun. */
  shareOf: (day: string) => number;
  choose: (day: string) => void;
}

/** One stop of the Tab key; arrows go from day to day. */
function Days({ date, user: { today, weekStartsOn }, stateOf, shareOf, choose }: DaysProps) {
  const first = firstOfMonth(date);
  const dates = Array.from({ length: Number(lastOfMonth(date).slice(8)) }, (_, index) => later(first, index));
  const offset = (weekdayOf(first) - WEEKDAYS.indexOf(weekStartsOn) + 7) % 7;
  const weeks = Array.from({ length: Math.ceil((offset + dates.length) / 7) }, (_, week) =>
    Array.from({ length: 7 }, (_day, index) => later(first, week * 7 + index - offset)),
  );
  const press = (event: KeyboardEvent) => {
    const next = dayByKey(event, dates, STEPS);
    if (next) choose(next);
  };
  const shown = [...new Set(dates.map(stateOf))].filter((each) => each !== 'FUTURE');
  return (
    <>
      <table class="month" onKeyDown={press} onClick={({ target }) => choose(dateOf(target) ?? date)}>
        <caption class="hidden">{t.habit.eachDay}</caption>
        <thead>
          <tr>
            {weekFrom(weekStartsOn).map((weekday) => (
              <th key={weekday} scope="col">
                <span aria-hidden="true">{shortName(weekday)}</span>
                <span class="hidden">{nameOf(weekday)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]}>
              {week.map((day) => (
                <td key={day}>
                  {dates.includes(day) && (
                    <DayButton
                      day={day}
                      is={stateOf(day)}
                      share={shareOf(day)}
                      isChosen={day === date}
                      isToday={day === today}
                    />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <ul class="legend" aria-hidden="true">
        {shown.map((each) => (
          <li key={each} class={classOf(each)}>
            <Shape state={each} /> {t.states[each]}
          </li>
        ))}
      </ul>
    </>
  );
}

interface DayButtonProps {
  day: string;
  is: DayState;
  share: number;
  isChosen: boolean;
  isToday: boolean;
}

const DayButton = ({ day, is, share, isChosen, isToday }: DayButtonProps) => (
  <button
    type="button"
    class={classOf(is)}
    data-date={day}
    aria-pressed={isChosen}
    aria-current={isToday ? 'date' : undefined}
    tabIndex={isChosen ? 0 : -1}
  >
    <span aria-hidden="true">{Number(day.slice(8))}</span>
    <Shape state={is} share={share} />
    <span class="hidden">{t.said(dateInWords(day), t.states[is])}</span>
  </button>
);

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
  const { isBegun, isSkipped, canSkip } = skippingOf((!canChange && day) || dayOf(task, date), is);
  const standing = standingOf(task, date, knownIn(state, screen));
  const isDone = isToggledOff(task, standing);
  const amount = canChange || !day ? standing : { ...standing, amount: day.amount ?? 0 };
  return (
    <div class="shown-day">
      <p>
        <strong>{dateInWords(date)}</strong>
        {t.said('', [t.states[is], date <= today && progressOf(task, amount)].filter(Boolean).join(', '))}
      </p>
      {day && <p class="about noted">{day.notes.join('\n')}</p>}
      {!canChange && date < today && <p class="about">{t.habit.isPast}</p>}
      <div class="buttons">
        {canChange && (
          <>
            <Button
              kind={standing.isKept || isLimit(task) ? 'quiet' : 'primary'}
              act={() => press(task, date)}
            >
              {labelOf(task, isDone)}
            </Button>
            <Button act={() => openEntry(task, date)}>
              {task.target ? t.menu.amountAndNote : t.common.note}
            </Button>
          </>
        )}
        {canSkip && (canChange || is === 'FUTURE') && (
          <Button act={() => skip(task, date, isBegun)}>{t.habit.skip}</Button>
        )}
        {isSkipped && (canChange || date > today) && (
          <Button act={() => unskip(task, date, isBegun)}>{t.menu.unskip}</Button>
        )}
        {canChange && task.target && standing.saved + standing.pending > 0 && (
          <Button act={() => undo(task, date)}>{t.common.undo}</Button>
        )}
      </div>
    </div>
  );
}

function labelOf(task: Task, isDone: boolean): string {
  if (isDone) return t.common.undo;
  if (allowsNone(task)) return t.limits.slipped;
  return task.target ? t.entry.add : t.common.done;
}
