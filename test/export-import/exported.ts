import type { TestUser } from '../support/world.js';

// biome-ignore lint/suspicious/noExplicitAny: a file that tests put wrong in many ways
export const exported = async (user: TestUser): Promise<any> => (await user.rest.get('/account/export')).body;

/** What must be the same afterwards: all but the new account's own name and address, and the numbers of tasks. */
export const comparable = ({
  account,
  tasks,
  completions,
  pauses,
  skips,
  exportedAt: _,
  ...rest
}: Awaited<ReturnType<typeof exported>>) => {
  const places = new Map<number | null, number | null>(
    tasks.map(({ id }: { id: number }, index: number) => [id, index]),
  );
  const placed = (list: { task: number | null }[]) =>
    list.map((each) => ({ ...each, task: places.get(each.task) ?? null }));
  return {
    ...rest,
    days: [account.timeZone, account.dayStartsAt, account.weekStartsOn, account.language],
    tasks: tasks.map((task: object) => ({ ...task, id: 0 })),
    ...{ completions: placed(completions), pauses: placed(pauses) },
    skips: placed(skips).sort((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other))),
  };
};
