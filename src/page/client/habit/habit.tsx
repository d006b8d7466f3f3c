import './habit.css';
import { useEffect, useState } from 'preact/hooks';
import { failed } from '../shell/screen.js';
import { openTaskForm } from '../shell/views.js';
import { ask, NoAnswer } from '../sync/api.js';
import { EARLIER, HABIT } from '../sync/later-documents.js';
import { keepView, viewOf } from '../sync/storage.js';
import { get, knownIn, type State } from '../sync/store.js';
import type { HabitDay, HabitView, Task, User } from '../sync/types.js';
import { dateInWords, firstOfWeek, later } from '../today/days.js';
import { runOf } from '../today/row.js';
import { noteDays, standingOf } from '../today/standing.js';
import { Button } from '../ui/button.js';
import { t } from '../ui/language.js';
import { AmountPerDay, KeptByWeekday, KeptPerWeek } from './charts.js';
import { Month } from './month.js';
import { keptSince } from './summaries.js';

/** A habit's own view: its month, its numbers, its charts, its notes. */
export function Habit({ id, state }: { id: string; state: State }) {
  const { screen } = state;
  const task = screen?.tasks.find((each) => each.id === id);
  const today = screen?.user.today ?? '';
  const { view, isOld, addEarlier } = useHabit(id, today, task);
  if (!screen || !task) return null;
  return (
    <div class="habit">
      <Numbers task={task} view={view} user={screen.user} />
      {isOld && view && <p class="notice">{t.notices.old}</p>}
      {view ? (
        <>
          <Month task={task} days={view.calendar} state={state} screen={screen} addEarlier={addEarlier} />
          <KeptPerWeek
            statistics={view.statistics}
            task={task}
            thisWeek={firstOfWeek(today, screen.user)}
            standing={standingOf(task, today, knownIn(state, screen))}
          />
          <KeptByWeekday statistics={view.statistics} />
          {task.target && <AmountPerDay days={view.calendar} target={task.target} today={today} />}
          <Notes days={view.calendar} />
        </>
      ) : (
        <p class="about">{isOld ? t.common.noConnection : t.common.loading}</p>
      )}
      {task.description && <p class="noted">{task.description}</p>}
      <div class="buttons">
        <Button act={() => openTaskForm(task)}>{t.common.edit}</Button>
      </div>
    </div>
  );
}

/** What was kept at once, and what the service says now and after each change of the habit. */
function useHabit(id: string, today: string, task: Task | undefined) {
  const [view, setView] = useState<HabitView>();
  const [isOld, setOld] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another task object is another state of it
  useEffect(() => {
    let isOver = false;
    const show = (next: HabitView) => {
      notePast(id, next.calendar, today);
      if (!isOver) setView((before) => ({ ...next, calendar: withEarlier(next.calendar, before?.calendar) }));
    };
    const load = async () => {
      try {
        show(await readHabit(id, today));
        if (!isOver) setOld(false);
      } catch (error) {
        if (!(error instanceof NoAnswer)) return void failed(error);
        const userId = get().session?.userId ?? '';
        const kept = await viewOf<HabitView>(userId, id, HABIT).catch(() => undefined);
        if (kept) show(kept);
        if (!isOver) setOld(true);
      }
    };
    void load();
    return () => {
      isOver = true;
    };
  }, [id, today, task]);

  const addEarlier = async () => {
    const first = view?.calendar[0]?.date;
    if (!view || !first) return;
    const variables = { id, first: later(first, -365), last: later(first, -1) };
    const { task } = await ask<{ task: Pick<HabitView, 'calendar'> }>(EARLIER, variables);
    notePast(id, task.calendar, today);
    setView({ ...view, calendar: [...task.calendar, ...view.calendar] });
  };
  return { view, isOld, addEarlier };
}

/** What is to come stays to be planned by the list as it is told. */
const notePast = (id: string, days: readonly HabitDay[], today: string) =>
  noteDays(
    id,
    days.filter(({ date }) => date <= today),
  );

function withEarlier(days: HabitDay[], before: HabitDay[] = []): HabitDay[] {
  const first = days[0]?.date ?? '';
  return [...before.filter(({ date }) => date < first), ...days];
}

async function readHabit(id: string, today: string): Promise<HabitView> {
  const variables = {
    id,
    first: later(today, -340), // eleven months
    last: later(today, 6),
    from: halfYearBefore(today),
    to: today,
  };
  const { task } = await ask<{ task: HabitView | null }>(HABIT, variables);
  if (!task) throw new NoAnswer('The habit is gone');
  keepView(get().session?.userId ?? '', id, HABIT, task).catch(() => {}); // it is for the next time without a network
  return task;
}

const halfYearBefore = (today: string) => later(today, -181);

function Numbers({ task, view, user }: { task: Task; view: HabitView | undefined; user: User }) {
  const { streak } = task;
  const numbers = [
    [t.habit.run, runOf(streak.count, streak)],
    [t.habit.longest, runOf(streak.longest, streak)],
    view && [t.habit.score, t.percent(view.score)],
    view?.statistics.rate != null && [
      keptSince(view.calendar, halfYearBefore(user.today)),
      t.percent(view.statistics.rate),
    ],
    view && [t.habit.recorded, t.times(view.completionCount)],
  ];
  return (
    <dl class="numbers">
      {numbers.map(
        (each) =>
          each && (
            <div key={each[0]}>
              <dt>{each[0]}</dt>
              <dd>{each[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

function Notes({ days }: { days: readonly HabitDay[] }) {
  const noted = days.filter(({ notes }) => notes.length > 0).reverse();
  if (noted.length === 0) return null;
  return (
    <section>
      <h3>{t.common.notes}</h3>
      <dl class="day-notes">
        {noted.map(({ date, notes }) => (
          <div key={date}>
            <dt class="about">{dateInWords(date)}</dt>
            <dd class="noted">{notes.join('\n')}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
