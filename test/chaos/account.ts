import type { Attempt, Load, Outcome, Wish } from './load.js';
import type { Town } from './town.js';

interface Row {
  id: string;
  user_id: string;
  task_id: string;
  key: string | null;
}

const told = ({ attempts }: Wish, is: Outcome['is']) => attempts.filter(({ outcome }) => outcome.is === is);

const time = (instant: number) => new Date(instant).toISOString().slice(11, 23);

const story = (attempts: Attempt[]) =>
  attempts.map(
    ({ at, until, over, outcome }) => `${time(at)}-${time(until)} ${over} ${JSON.stringify(outcome)}`,
  );

const describe = ({ kind, key, taskId, title, attempts }: Wish) =>
  [kind === 'task' ? title : `task ${taskId} key ${key}`, ...story(attempts)].join('\n    ');

/** How many rows a wish may have left behind, and which. */
function faultOf(wish: Wish, ids: number[]): string | undefined {
  const wrong = told(wish, 'wrong')[0]?.outcome;
  if (wrong?.is === 'wrong') return `was answered ${wrong.why}`;
  const named = new Set(told(wish, 'done').map(({ outcome }) => outcome.is === 'done' && outcome.id));
  if (named.size > 1) return 'was acknowledged under several ids';
  if (ids.length > 1) return `was carried out ${ids.length} times`;
  if (named.size === 1)
    return ids.length === 1 && named.has(ids[0] ?? 0) ? undefined : 'was acknowledged and is lost';
  const isApplied = told(wish, 'applied').length > 0;
  if (isApplied && ids.length === 0) return 'was said to be applied and is lost';
  if (ids.length === 1 && !isApplied && told(wish, 'unknown').length === 0)
    return 'was carried out after "nothing was changed"';
  return undefined;
}

const groupedBy = (rows: Row[], keyOf: (row: Row) => string) => {
  const groups = new Map<string, number[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), Number(row.id)]);
  return groups;
};

/** Compares what the clients were told with what the database holds: every difference is one line. */
export async function lossesOf(load: Load, { rows, citizens }: Town): Promise<string[]> {
  const theirs = `user_id in ('${citizens.map(({ id }) => id).join("', '")}')`;
  const completions = await rows<Row>(
    `select id, user_id, task_id, idempotency_key as key from task_completions where ${theirs}`,
  );
  const tasks = await rows<Row>(
    `select id, user_id, 0 as task_id, title as key from tasks where title like 'task-%'`,
  );

  const found = {
    completion: groupedBy(completions, (row) => `${row.user_id} ${row.task_id} ${row.key}`),
    task: groupedBy(tasks, (row) => `${row.user_id} ${row.key}`),
  };
  const idsOf = ({ kind, citizen, taskId, key, title }: Wish) =>
    found[kind].get(kind === 'task' ? `${citizen.id} ${title}` : `${citizen.id} ${taskId} ${key}`) ?? [];
  const losses = load.wishes.flatMap((wish) => {
    const fault = faultOf(wish, idsOf(wish));
    return fault ? [`${fault}: ${describe(wish)}`] : [];
  });
  const wished = load.wishes.reduce((sum, wish) => sum + idsOf(wish).length, 0);
  const extra = completions.length + tasks.length - wished;
  if (extra !== 0) losses.push(`${extra} rows that nobody asked for`);

  return losses;
}

/** How often clients heard what. */
export function tally({ wishes }: Load): Record<Outcome['is'] | 'wishes' | 'again', number> {
  const attempts = wishes.flatMap((wish) => wish.attempts);
  const count = (is: Outcome['is']) => attempts.filter(({ outcome }) => outcome.is === is).length;
  return {
    wishes: wishes.length,
    done: count('done'),
    applied: count('applied'),
    notApplied: count('notApplied'),
    unknown: count('unknown'),
    wrong: count('wrong'),
    again: wishes.filter((wish) => told(wish, 'done').length > 0 && told(wish, 'unknown').length > 0).length,
  };
}
