import '../habit/habit.css';
import './board.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import { dayAt } from '../../../../packages/client/src/day.js';
import { lookOn, MonthHead, monthWith, ShownDay } from '../habit/month.js';
import { now } from '../shell/clock.js';
import { failed } from '../shell/screen.js';
import { openHabit } from '../shell/views.js';
import { ask } from '../sync/api.js';
import { BOARD, BOARD_ROW } from '../sync/later-documents.js';
import { keepView, viewOf } from '../sync/storage.js';
import { knownIn, type State } from '../sync/store.js';
import type { DayState, Screen, Task, TaskDay } from '../sync/types.js';
import { dateInWords, timeIn } from '../today/days.js';
import { type Known, noteDays } from '../today/standing.js';
import { Waiting } from '../ui/answer.js';
import { Button } from '../ui/button.js';
import { dateOf, dayByKey } from '../ui/day-keys.js';
import { colourOf } from '../ui/icons.js';
import { t } from '../ui/language.js';

interface BoardRow {
  id: string;
  statistics: { rate: number | null };
  calendar: TaskDay[];
}

interface BoardPage {
  nodes: BoardRow[];
  pageInfo: { hasNextPage: boolean; endCursor: string };
}

/** As it stays on the device. */
interface Kept {
  /** By the id of each habit. */
  rows: Record<string, BoardRow>;
  /** In milliseconds: when the service said so. */
  at: number;
}

interface Told extends Kept {
  /** The days and the habits of which it tells. */
  span: string;
  tasks: readonly Task[];
  /** Whether the service did not answer since. */
  isOld: boolean;
}

const WITHOUT_MARK: readonly DayState[] = ['REST', 'FUTURE'];

const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -31, ArrowDown: 31 };

export const Board = ({ state }: { state: State }) =>
  state.screen && <Month state={state} screen={state.screen} />;

/** All habits by day for a month, at one glance. One stop of the Tab key; arrows go from day to day. */
function Month({ state, screen }: { state: State; screen: Screen }) {
  const { tasks, user } = screen;
  const { today } = user;
  const [[id, date], choose] = useState(['', today] as [id: string, date: string]);
  const dates = monthWith(date, today);
  const told = useTold(dates, screen);
  const frame = useRef<HTMLElement>(null);
  // Not earlier: nothing has a place before the dialog is open.
  useEffect(() => frame.current?.scrollTo({ left: frame.current.scrollWidth }), []);
  const known = knownIn(state, screen);
  const chosen = tasks.find((task) => task.id === id);
  const keys = tasks.flatMap((task) => dates.map((each) => `${task.id} ${each}`));
  const go = (key: string | undefined) => key && choose(key.split(' ') as [string, string]);
  const shown = new Set(tasks.flatMap((task) => dates.map((each) => lookOn(task, each, known).is)));
  return (
    <section class="board" aria-label={t.board.title}>
      <MonthHead date={date} today={today} go={(to) => choose([id, to])} />
      {told?.isOld && (
        <p class="notice">
          {t.board.asOf(`${dateInWords(dayAt(told.at, user))}, ${timeIn(told.at, user.timeZone)}`)}
        </p>
      )}
      <section class="board-frame" aria-label={t.habit.month} ref={frame}>
        <table
          onKeyDown={(event) => go(dayByKey(event, keys, STEPS))}
          onClick={({ target }) => go(dateOf(target))}
        >
          <caption class="hidden">{t.habit.eachDay}</caption>
          <Dates dates={dates} today={today} />
          <tbody>
            {tasks.map((task) => (
              <Row
                key={task.id}
                task={task}
                dates={dates}
                known={known}
                rate={told?.rows[task.id]?.statistics.rate}
                stop={(chosen ?? tasks[0]) === task ? date : ''}
                isChosen={chosen === task}
              />
            ))}
          </tbody>
        </table>
      </section>
      <Legend states={[...shown].filter((each) => !WITHOUT_MARK.includes(each))} />
      {!told && <Waiting />}
      {chosen && (
        <div class={colourOf(chosen)}>
          <ShownDay task={chosen} name={chosen.title} date={date} state={state} screen={screen} />
        </div>
      )}
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
      <td />
    </tr>
  </thead>
);

interface RowProps {
  task: Task;
  dates: readonly string[];
  known: Known;
  /** Null: nothing was due. */
  rate: number | null | undefined;
  /** The day at which the Tab key stops. */
  stop: string;
  isChosen: boolean;
}

const Row = ({ task, dates, known, rate, stop, isChosen }: RowProps) => (
  <tr class={colourOf(task)}>
    <th scope="row">
      <Button kind="link" act={() => openHabit(task)}>
        <span aria-hidden="true" class="icon">
          {task.icon}
        </span>{' '}
        <span dir="auto">{task.title}</span>
      </Button>
    </th>
    {dates.map((date) => {
      const { is, part } = lookOn(task, date, known);
      return (
        <td
          key={date}
          class={`day is-${is.toLowerCase()} part-${part}`}
          data-date={`${task.id} ${date}`}
          tabIndex={date === stop ? 0 : -1}
          aria-current={isChosen && date === stop}
        >
          <span class="hidden">{t.said(dateInWords(date), t.states[is])}</span>
        </td>
      );
    })}
    <td class="rate about">
      {rate != null && (
        <>
          {t.percent(rate)} <span class="hidden">{t.states.KEPT}</span>
        </>
      )}
    </td>
  </tr>
);

/** Asked for with the days, and of a habit that has changed anew. Without the service, the last days are as it said last. */
function useTold(dates: readonly string[], { tasks, user }: Screen): Told | undefined {
  const [told, setTold] = useState<Told>();
  const [first = '', last = ''] = [dates[0], dates.at(-1)];
  const span = `${first} ${last}`;
  const isLatest = last === user.today;
  const before = told?.span === span ? told : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was told before says only what to ask
  useEffect(() => {
    let isOver = false;
    const show = (kept: Kept, isOld: boolean) => {
      if (isOver) return;
      for (const { id, calendar } of Object.values(kept.rows)) noteDays(id, calendar);
      setTold({ ...kept, span, tasks: isOld ? [] : tasks, isOld });
    };
    const read = async () => {
      const changed = before ? tasks.filter((task) => !before.tasks.includes(task)) : tasks;
      const rows = changed.length < tasks.length ? { ...before?.rows } : {};
      for (const row of await readRows(changed, { first, last })) rows[row.id] = row;
      const kept = { rows, at: now() };
      show(kept, false);
      if (isLatest) keepView(user.id, 'board', BOARD, kept).catch(() => {}); // it is for the next time without a network
    };
    read().catch(async (error) => {
      if (!failed(error)) return;
      const kept = isLatest && (await viewOf<Kept>(user.id, 'board', BOARD).catch(() => undefined));
      if (kept) show(kept, true);
    });
    return () => {
      isOver = true;
    };
  }, [span, tasks]);
  return before;
}

/** A tap changes one habit. Of several, all are read. */
async function readRows(tasks: readonly Task[], days: { first: string; last: string }): Promise<BoardRow[]> {
  const [only] = tasks;
  if (!only) return [];
  if (tasks.length === 1) {
    const { task } = await ask<{ task: BoardRow | null }>(BOARD_ROW, { ...days, id: only.id });
    return task ? [task] : [];
  }
  const rows: BoardRow[] = [];
  let after: string | null = null;
  do {
    const { tasks }: { tasks: BoardPage } = await ask(BOARD, { ...days, after } as object);
    rows.push(...tasks.nodes);
    after = tasks.pageInfo.hasNextPage ? tasks.pageInfo.endCursor : null;
  } while (after);
  return rows;
}
