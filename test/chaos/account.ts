import type { Attempt, Load, Outcome, Wish } from './load.js';
import type { Town } from './town.js';

const told = ({ attempts }: Wish, is: Outcome['is']) => attempts.filter(({ outcome }) => outcome.is === is);

const time = (instant: number) => new Date(instant).toISOString().slice(11, 23);

const story = (attempts: Attempt[]) =>
  attempts.map(
    ({ at, until, over, outcome }) => `${time(at)}-${time(until)} ${over} ${JSON.stringify(outcome)}`,
  );

const describe = ({ key, taskId, attempts }: Wish) =>
  [`task ${taskId} key ${key}`, ...story(attempts)].join('\n    ');

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

/** Compares what the clients were told with what the database holds: every difference is one line. */
export async function lossesOf(load: Load, { rows, citizens }: Town): Promise<string[]> {
  const completions = await rows<{ id: string; place: string }>(
    `select id, concat_ws(' ', user_id, task_id, idempotency_key) as place from task_completions
      where user_id in ('${citizens.map(({ id }) => id).join("', '")}')`,
  );
  const found = Map.groupBy(completions, ({ place }) => place);
  const idsOf = ({ citizen, taskId, key }: Wish) =>
    (found.get([citizen.id, taskId, ...(key === null ? [] : [key])].join(' ')) ?? []).map(({ id }) =>
      Number(id),
    );
  const losses = load.wishes.flatMap((wish) => {
    const fault = faultOf(wish, idsOf(wish));
    return fault ? [`${fault}: ${describe(wish)}`] : [];
  });
  const wished = load.wishes.reduce((sum, wish) => sum + idsOf(wish).length, 0);
  const extra = completions.length - wished;
  return extra === 0 ? losses : [...losses, `${extra} rows that nobody asked for`];
}

/** How often clients heard what, and of how much they heard again. */
export function tally({ wishes }: Load) {
  const count = (is: Outcome['is']) => wishes.reduce((sum, wish) => sum + told(wish, is).length, 0);
  return {
    wishes: wishes.length,
    ...{ done: count('done'), applied: count('applied'), notApplied: count('notApplied') },
    ...{ unknown: count('unknown'), wrong: count('wrong') },
    again: wishes.filter((wish) => told(wish, 'done').length > 0 && told(wish, 'unknown').length > 0).length,
  };
}
