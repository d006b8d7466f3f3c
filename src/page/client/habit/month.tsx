import { useState } from 'preact/hooks';
import { openEntry } from '../shell/views.js';
import { knownIn, type State } from '../sync/store.js';
import { undo } from '../sync/taps.js';
import type { DayState, HabitDay, Screen, Task, User } from '../sync/types.js';
import { dateInWords, daysBetween, firstOfWeek, later, nameOf, shortName, weekFrom } from '../today/days.js';
import { press } from '../today/press.js';
import { dayOf, isToggledOff, type Known, progressOf, standingOf } from '../today/standing.js';
import { allowsNone, isLimit } from '../today/target.js';
import { Button } from '../ui/button.js';
import { dateOf, dayByKey } from '../ui/day-keys.js';
import { locale, t } from '../ui/language.js';
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
const PARTS = ['', 'M12 4a8 8 0 0 1 8 8h-8z', SHAPES.PARTIAL, 'M12 4a8 8 0 1 1-8 8h8z'];

const Shape = ({ is, part }: Look) => (
  <svg class="shape" viewBox="0 0 24 24" aria-hidden="true">
    <path d={(is === 'PARTIAL' && PARTS[part]) || SHAPES[is]} />
  </svg>
);

/** How many days, up to today, the service lets put right. */
const openDays = Number(document.documentElement.dataset.openDays);

/** `21 Oct – 20 Nov 2026` */
const rangeOf = (first: string, last: string): string =>
  new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  }).formatRange(Date.parse(first), Date.parse(last));

/** 31 days, of which one is among the last so many, or the last so many before those. */
export function monthWith(date: string, today: string): string[] {
  const back = Math.max(0, Math.floor(daysBetween(date, today) / 31));
  return Array.from({ length: 31 }, (_, index) => later(today, index - 30 - 31 * back));
}

const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

interface MonthProps {
  task: Task;
  days: readonly HabitDay[];
  state: State;
  screen: Screen;
  addEarlier: () => Promise<unknown>;
}

/** Days, each of which says what it was, and can be put right as long as the service lets it. */
export function Month({ task, days, state, screen, addEarlier }: MonthProps) {
  const { today } = screen.user;
  const [date, setDate] = useState(today);
  const known = knownIn(state, screen);
  const byDate = new Map(days.map((day) => [day.date, day]));
  const lookOf = (day: string): Look =>
    day > today ? { is: byDate.get(day)?.state ?? 'FUTURE', part: 0 } : lookOn(task, day, known);
  const go = async (to: string) => {
    if ((monthWith(to, today)[0] ?? to) < (days[0]?.date ?? '')) await addEarlier();
    setDate(to);
  };
  return (
    <section aria-label={t.habit.month}>
      <MonthHead date={date} today={today} go={go} />
      <Days date={date} user={screen.user} lookOf={lookOf} choose={setDate} />
      <ShownDay task={task} day={byDate.get(date)} date={date} state={state} screen={screen} />
    </section>
  );
}

interface MonthHeadProps {
  date: string;
  today: string;
  go: (date: string) => unknown;
}

/** Which days are shown, and the way to others. */
export function MonthHead({ date, today, go }: MonthHeadProps) {
  const dates = monthWith(date, today);
  const last = dates.at(-1) ?? today;
  return (
    <div class="month-head">
      <Button label={t.habit.monthBefore} act={() => go(later(date < last ? date : last, -31))}>
        ‹
      </Button>
      <h3>{rangeOf(dates[0] ?? last, last)}</h3>
      <Button label={t.habit.monthAfter} isOff={last === today} act={() => go(later(date, 31))}>
        ›
      </Button>
    </div>
  );
}

/** What a day was, and of what was begun, how many thirds. */
interface Look {
  is: DayState;
  part: number;
}

export function lookOn(task: Task, date: string, known: Known): Look {
  const { state, amount } = standingOf(task, date, known);
  const share = task.target ? amount / task.target.amount : 0.5;
  return { is: state, part: Math.max(1, Math.min(3, Math.ceil(3 * share))) };
}

interface DaysProps {
  /** The chosen one: the month that has it is shown. */
  date: string;
  user: User;
  lookOf: (day: string) => Look;
  choose: (day: string) => void;
}

/** One stop of the Tab key; arrows go from day to day. The last week is shown to its end. */
function Days({ date, user, lookOf, choose }: DaysProps) {
  const { today, weekStartsOn } = user;
  const [first = today, ...others] = monthWith(date, today);
  const last = others.at(-1) ?? today;
  const start = firstOfWeek(first, user);
  const weeks = Array.from({ length: Math.floor(daysBetween(start, last) / 7) + 1 }, (_, week) =>
    Array.from({ length: 7 }, (_day, index) => later(start, week * 7 + index)),
  );
  const dates = weeks.flat().filter((day) => first <= day && (day <= last || day > today));
  const press = (event: KeyboardEvent) => {
    const next = dayByKey(event, dates, STEPS);
    if (next) choose(next);
  };
  const shown = [...new Set(dates.map((day) => lookOf(day).is))].filter((each) => each !== 'FUTURE');
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
                    <DayButton day={day} look={lookOf(day)} isChosen={day === date} isToday={day === today} />
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
            <Shape is={each} part={2} /> {t.states[each]}
          </li>
        ))}
      </ul>
    </>
  );
}

interface DayButtonProps {
  day: string;
  look: Look;
  isChosen: boolean;
  isToday: boolean;
}

const DayButton = ({ day, look, isChosen, isToday }: DayButtonProps) => (
  <button
    type="button"
    class={classOf(look.is)}
    data-date={day}
    aria-pressed={isChosen}
    aria-current={isToday ? 'date' : undefined}
    tabIndex={isChosen ? 0 : -1}
  >
    <span aria-hidden="true">{Number(day.slice(8))}</span>
    <Shape {...look} />
    <span class="hidden">{t.said(dateInWords(day), t.states[look.is])}</span>
  </button>
);

interface ShownDayProps {
  task: Task;
  date: string;
  /** Where it is not said above. */
  name?: string;
  /** With its notes, or when it is still to come. */
  day?: HabitDay | undefined;
  state: State;
  screen: Screen;
}

/** The chosen day: what it was, and what can be done about it. */
export function ShownDay({ task, date, name, day, state, screen }: ShownDayProps) {
  const { today } = screen.user;
  const isAhead = date > today;
  const canChange = !isAhead && later(today, -openDays) < date;
  const standing = standingOf(task, date, knownIn(state, screen));
  const is = isAhead ? (day?.state ?? 'FUTURE') : standing.state;
  const { isBegun, isSkipped, canSkip } = skippingOf((isAhead && day) || dayOf(task, date), is);
  const isDone = isToggledOff(task, standing);
  return (
    <div class="shown-day">
      {name && (
        <p class="about" dir="auto">
          {name}
        </p>
      )}
      <p>
        <strong>{dateInWords(date)}</strong>
        {t.said('', [t.states[is], !isAhead && progressOf(task, standing)].filter(Boolean).join(', '))}
      </p>
      {day && <p class="about noted">{day.notes.join('\n')}</p>}
      {!canChange && !isAhead && <p class="about">{t.reasons.TOO_LONG_AGO}</p>}
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
        {isSkipped && (canChange || isAhead) && (
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
