import { useRef, useState } from 'preact/hooks';
import { change } from '../sync/changes.js';
import { MOVE } from '../sync/later-documents.js';
import type { State } from '../sync/store.js';
import type { Task } from '../sync/types.js';
import { t } from '../ui/language.js';

/** Moves it behind another one, or to the top without one, and into a section. */
const moveTask = (id: string, behindTaskId: string | null, section: string | null) =>
  change(MOVE, { id, behindTaskId, section });

/** The order of the list: drag a habit by its handle, or press arrow keys on it. */
export function Arrangement({ state: { screen } }: { state: State }) {
  const tasks = screen?.tasks ?? [];
  const [order, setOrder] = useState<string[] | null>(null); // while one is being moved
  const list = useRef<HTMLUListElement>(null);
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const ids = order ?? lined(tasks, screen?.user.sections ?? []);

  const moved = (id: string, to: number): string[] => {
    const others = ids.filter((each) => each !== id);
    return [...others.slice(0, to), id, ...others.slice(to)];
  };
  const keep = async (id: string, next: string[]) => {
    setOrder(next);
    const above = next.slice(0, next.indexOf(id)).reverse();
    const heading = above.find((each) => each.startsWith(HEADING));
    const before = above.find((each) => !each.startsWith(HEADING)) ?? null;
    await moveTask(id, before, heading?.slice(HEADING.length) ?? null).finally(() =>
      setOrder((now) => (now === next ? null : now)),
    );
  };
  const press = (id: string) => (event: KeyboardEvent) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const to = ids.indexOf(id) + by;
    if (to < 0 || to >= ids.length) return;
    const { currentTarget } = event;
    void keep(id, moved(id, to));
    requestAnimationFrame(() => (currentTarget as HTMLElement).focus()); // it was moved with its row
  };
  const drag = (id: string) => (event: PointerEvent) => {
    const handle = event.currentTarget as HTMLElement;
    if (!handle.hasPointerCapture(event.pointerId)) return;
    const to = placeAt(event.clientY, [...(list.current?.children ?? [])], handle);
    if (to !== ids.indexOf(id)) setOrder(moved(id, to));
  };
  const drop = (id: string) => () => {
    if (order) void keep(id, order);
  };

  return (
    <>
      <p class="about">
        {t.arrange.how} <span class="for-keyboards">{t.arrange.keys}</span>
      </p>
      <ul class="arrangement" ref={list}>
        {ids.map((id) => {
          const task = byId.get(id);
          if (!task) return <Heading key={id} name={id.slice(HEADING.length)} />;
          return (
            <li key={id} class="row">
              <Handle task={task} press={press(id)} drag={drag(id)} drop={drop(id)} />
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** How many rows lie above a height, apart from the one that is dragged. */
const placeAt = (height: number, rows: readonly Element[], dragged: Element): number =>
  rows.filter((row) => {
    const box = row.getBoundingClientRect();
    return row !== dragged.closest('li') && box.top + box.height / 2 < height;
  }).length;

const HEADING = 'section ';

const Heading = ({ name }: { name: string }) => (
  <li class="row heading">
    <h3 dir="auto">{name}</h3>
  </li>
);

/** As the list shows them, with a line for each section. */
function lined(tasks: readonly Task[], sections: readonly string[]): string[] {
  const below = (name: string | null) =>
    tasks.filter(({ section }) => section?.toLowerCase() === name?.toLowerCase()).map(({ id }) => id);
  return [...below(null), ...sections.flatMap((name) => [HEADING + name, ...below(name)])];
}

interface HandleProps {
  task: Task;
  press: (event: KeyboardEvent) => void;
  drag: (event: PointerEvent) => void;
  drop: () => void;
}

const Handle = ({ task, press, drag, drop }: HandleProps) => (
  <button
    type="button"
    class="handle"
    aria-label={t.arrange.move(task.title)}
    onKeyDown={press}
    onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
    onPointerMove={drag}
    onPointerUp={drop}
    onPointerCancel={drop}
  >
    <span aria-hidden="true">⠿</span> {task.icon} {task.title}
  </button>
);
