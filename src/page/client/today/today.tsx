import type { ComponentChild } from 'preact';
import { useMemo } from 'preact/hooks';
import { Later } from '../shell/later.js';
import { openArrangement } from '../shell/views.js';
import { get, knownIn, type State, set, shownDay } from '../sync/store.js';
import type { Screen, Task } from '../sync/types.js';
import { Button } from '../ui/button.js';
import { Sparks } from '../ui/icons.js';
import { t } from '../ui/language.js';
import { later, shortDate } from './days.js';
import { countOf, groupsOf, type Item, isAllDone, itemsOf } from './items.js';
import { Row } from './row.js';
import { isSame, Sections } from './sections.js';
import { noteGroups } from './still.js';

export function Today({ screen, state }: { screen: Screen; state: State }) {
  const { tasks, user } = screen;
  const day = shownDay(state, screen);
  const items = itemsOf(screen, knownIn(state, screen), day);
  const groups = groupsOf(items, state);
  noteGroups(groups);
  const shown = found(items, state);
  const { open, week, limit, done, rest } = placed(shown, groups);
  const ofNone = (some: Item[]) => some.filter(({ task }) => task.section === null);
  const list = (some: Item[]) => <ul class="tasks">{some.map((item) => rowOf(item, day))}</ul>;
  const [isChosen, isDivided] = [state.search !== null, user.sections.length > 0];
  const isToday = day === user.today;
  const isNothingDue = isToday && rest.length > 0 && [open, week, limit, done].flat().length === 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: as it was when the day was chosen
  const isOpen = useMemo(() => !isToday && rest.length === shown.length, [day]);
  return (
    <section class="card today" aria-label={nameOfDay(day, user.today)}>
      <Head name={nameOfDay(day, user.today)} items={items} />
      {isChosen && <Choice tasks={tasks} state={state} />}
      {tasks.length === 0 && (
        <>
          <p>{t.list.empty}</p>
          {state.isOnline && <Starters />}
        </>
      )}
      {isNothingDue && !isChosen && <p>{t.list.nothingDue}</p>}
      {isAllDone({ open, done, limit }) && !isChosen && (
        <AllDone isNew={state.toast !== null} count={done.length} />
      )}
      {open.length > 0 && !isDivided && list(open)}
      {isDivided && (
        <Sections
          items={[...open, ...week, ...limit, ...done]}
          loose={ofNone([...open, ...done])}
          list={list}
          names={user.sections}
          isSearch={isChosen}
        />
      )}
      <Part title={t.list.anyDay} items={ofNone(week)} list={list} />
      <Part title={t.limits.title} items={ofNone(limit)} list={list} />
      {!isDivided && <Part title={t.common.done} items={done} list={list} />}
      {rest.length > 0 && (
        <details key={day} open={isChosen || isOpen}>
          <summary>{isToday ? t.list.notToday(rest.length) : t.list.notOnDay(rest.length)}</summary>
          {isOpen && <p class="about">{t.list.nothingWasDue}</p>}
          {list(rest)}
        </details>
      )}
      {isChosen && shown.length === 0 && <p class="about">{t.list.noneFound}</p>}
      {tasks.length > 1 && !isChosen && (
        <Button kind="quiet on-column" act={() => void openArrangement()}>
          {t.list.arrange}
        </Button>
      )}
    </section>
  );
}

/** Habits to begin with. */
export const Starters = () => (
  <Later load={async () => (await import('./starters.js')).startersInWords()} props={{}} />
);

function placed(items: readonly Item[], groups: ReadonlyMap<string, string>) {
  const by = Object.groupBy(items, ({ task }) => groups.get(task.id) ?? '');
  const { open = [], week = [], limit = [], done = [], rest = [] } = by;
  return { open, week, limit, done, rest };
}

function rowOf(item: Item, day: string): ComponentChild {
  item.row ??= <Row key={item.task.id} item={item} day={day} />;
  return item.row;
}

interface PartProps {
  title: string;
  items: Item[];
  list: (items: Item[]) => ComponentChild;
}

const Part = ({ title, items, list }: PartProps) =>
  items.length > 0 && (
    <>
      <h3>{title}</h3>
      {list(items)}
    </>
  );

/** How much is asked for, whatever is looked for. */
function Head({ name, items }: { name: string; items: readonly Item[] }) {
  const { left, done } = countOf(items);
  return (
    <div class="card-head">
      <h2>{name}</h2>
      {left + done > 0 && (
        <p class="count">
          {left > 0 && <strong>{t.list.left(left)}</strong>}{' '}
          <span class="about">{t.list.doneOf(done, left + done)}</span>
        </p>
      )}
    </div>
  );
}

function nameOfDay(day: string, today: string): string {
  if (day === today) return t.list.today;
  return day === later(today, -1) ? t.list.yesterday : shortDate(day);
}

/** Said once, when the last one is done; moved only for those who like motion. */
const AllDone = ({ isNew, count }: { isNew: boolean; count: number }) => (
  <p class={isNew ? 'all-done joy' : 'all-done'}>
    <Sparks />
    {t.list.allDone(count)}
  </p>
);

function found(items: readonly Item[], { search, tag }: State): readonly Item[] {
  const text = plain(search?.trim() ?? '');
  if (!text && !tag) return items;
  return items.filter(
    ({ task: { title, tags } }) =>
      (!tag || tags.some((each) => isSame(each, tag))) &&
      [title, ...tags].some((each) => plain(each).includes(text)),
  );
}

/** On a phone, who looks for `água` types `agua`. */
const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

export const toggleSearch = (): void => set({ search: get().search === null ? '' : null, tag: null });

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
              aria-pressed={isSame(each, tag)}
              onClick={() => set({ tag: isSame(each, tag) ? null : each })}
            >
              {each}
            </button>
          ))}
        </fieldset>
      )}
    </>
  );
}
