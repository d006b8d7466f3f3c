import { useState } from 'preact/hooks';
import { Button } from './button.js';
import { createTask } from './changes.js';
import { later, shortDate } from './days.js';
import { Sign } from './icons.js';
import { t } from './language.js';
import { Row } from './row.js';
import { groupOf, type Standing, standingOf } from './standing.js';
import { get, knownIn, type State, set, shownDay } from './store.js';
import { newKey } from './taps.js';
import type { Screen, Task } from './types.js';
import { openArrangement, openTaskForm } from './views.js';

interface Item {
  task: Task;
  standing: Standing;
}

export function Today({ screen, state }: { screen: Screen; state: State }) {
  const { tasks, user } = screen;
  const [known, day] = [knownIn(state, screen), shownDay(state, screen)];
  const items = found(tasks, state).map((task) => ({ task, standing: standingOf(task, day, known) }));
  const { due = [], done = [], rest = [] } = Object.groupBy(items, ({ standing }) => groupOf(standing));
  const list = (some: Item[]) => (
    <ul class="tasks">
      {some.map((item) => (
        <Row
          key={item.task.id}
          {...item}
          day={day}
          user={user}
          known={known}
          isLatest={isLatest(item.task, day, state)}
        />
      ))}
    </ul>
  );
  const isChosen = state.search !== null;
  return (
    <section class="card today" aria-label={nameOfDay(day, user.today)}>
      <Head
        name={nameOfDay(day, user.today)}
        done={done.length}
        asked={due.length + done.length}
        isSearchable={tasks.length > 1}
      />
      {isChosen && <Choice tasks={tasks} state={state} />}
      {tasks.length === 0 && <Starters />}
      {day === user.today && rest.length > 0 && due.length + done.length === 0 && !isChosen && (
        <p>{t.list.nothingDue}</p>
      )}
      {list(due)}
      {due.length === 0 && done.length > 0 && !isChosen && (
        <AllDone isNew={state.toast !== null} count={done.length} />
      )}
      {done.length > 0 && (
        <>
          <h3>{t.common.done}</h3>
          {list(done)}
        </>
      )}
      {rest.length > 0 && (
        <details open={isChosen}>
          <summary>
            {day === user.today ? t.list.notToday(rest.length) : t.list.notOnDay(rest.length)}
          </summary>
          {list(rest)}
        </details>
      )}
      {isChosen && items.length === 0 && <p class="about">{t.list.noneFound}</p>}
      {tasks.length > 1 && !isChosen && (
        <Button kind="quiet" act={() => void openArrangement()}>
          {t.list.arrange}
        </Button>
      )}
    </section>
  );
}

interface HeadProps {
  name: string;
  done: number;
  asked: number;
  isSearchable: boolean;
}

const Head = ({ name, done, asked, isSearchable }: HeadProps) => (
  <div class="card-head">
    <h2>{name}</h2>
    {asked > 0 && <p class="about">{t.list.doneOf(done, asked)}</p>}
    {isSearchable && (
      <Button kind="sign-button" label={t.list.search} act={toggleSearch}>
        <Sign of="search" />
      </Button>
    )}
    <Button kind="primary sign-button" label={t.list.newHabit} act={() => openTaskForm()}>
      <Sign of="plus" />
    </Button>
  </div>
);

const isLatest = ({ id }: Task, day: string, { toast }: State) => toast?.taskId === id && toast.day === day;

function nameOfDay(day: string, today: string): string {
  if (day === today) return t.list.today;
  return day === later(today, -1) ? t.list.yesterday : shortDate(day);
}

const SPARKS = [
  ...['#e0455a', '#f0a020', '#2fa36b', '#2f7fe0', '#9b5de5', '#e0559a'],
  ...['#12a5a5', '#d1c410', '#6a8f1f', '#4b5be0', '#e0702a', '#8a8f98'],
];

/** Said once, when the last one is done; moved only for those who like motion. */
const AllDone = ({ isNew, count }: { isNew: boolean; count: number }) => (
  <p class={isNew ? 'all-done joy' : 'all-done'}>
    <span class="sparks" aria-hidden="true">
      {SPARKS.map((spark, turn) => (
        <i key={spark} style={{ '--turn': turn, '--spark': spark }} />
      ))}
    </span>
    {t.list.allDone(count)}
  </p>
);

function found(tasks: readonly Task[], { search, tag }: State): readonly Task[] {
  const text = search?.trim().toLowerCase() ?? '';
  return tasks.filter(
    ({ title, tags }) =>
      (!tag || tags.some((each) => isSame(each, tag))) &&
      [title, ...tags].some((each) => each.toLowerCase().includes(text)),
  );
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

const toggleSearch = (): void => set({ search: get().search === null ? '' : null, tag: null });

/** It has been asked for by pressing a button or a key. */
const focusOnce = (field: HTMLInputElement | null): void => field?.focus();

/** The field to search by, and the tags that there are. */
function Choice({ tasks, state: { tag } }: { tasks: readonly Task[]; state: State }) {
  const tags = [
    ...new Map(tasks.flatMap(({ tags }) => tags.map((each) => [each.toLowerCase(), each]))).values(),
  ];
  return (
    <>
      <input
        type="search"
        aria-label={t.list.searchHabits}
        placeholder={t.list.search}
        ref={focusOnce}
        onInput={({ currentTarget }) => set({ search: currentTarget.value })}
        onKeyDown={({ key }) => key === 'Escape' && toggleSearch()}
      />
      {tags.length > 0 && (
        <fieldset class="tags" aria-label={t.list.tags}>
          {tags.map((each) => (
            <button
              key={each}
              type="button"
              class="tag"
              aria-pressed={tag !== null && isSame(tag, each)}
              onClick={() => set({ tag: tag !== null && isSame(tag, each) ? null : each })}
            >
              {each}
            </button>
          ))}
        </fieldset>
      )}
    </>
  );
}

const starters = () => [
  { title: t.list.starters.water, icon: '💧', target: { amount: 8, unit: t.list.starters.glasses } },
  { title: t.list.starters.walk, icon: '🚶' },
  { title: t.list.starters.read, icon: '📖' },
];

/** One tap is enough to begin. Tapped again since no answer came, it is the same habit; after an answer it is another one. */
function Starters() {
  const [attempt, setAttempt] = useState(newKey);
  const begin = async (place: number) => {
    const starter = starters()[place];
    if (!starter) return;
    await createTask(starter, attempt + place);
    setAttempt(newKey());
  };
  return (
    <div class="starters">
      <p>{t.list.empty}</p>
      <ul>
        {starters().map((starter, place) => (
          <li key={starter.title}>
            <Button kind="starter" act={() => begin(place)}>
              <span aria-hidden="true">{starter.icon}</span> {starter.title}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
