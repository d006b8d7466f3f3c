import { expect, it } from 'vitest';
import { people } from '../support/people.js';
import { dataDirectory, openEmbedded, run } from '../support/process.js';

const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

it('steady streaks verify shows ten examples of each kind of drift, changes nothing and exits 1; --fix repairs all', async () => {
  const DATA_DIR = dataDirectory();
  const verify = async (...args: string[]) => {
    const command = run('operation/commands/streaks-verify.js', { DATA_DIR }, args);
    const code = await command.exited;
    return { code, lines: command.output.trimEnd().split('\n').sort() };
  };
  const database = await openEmbedded(DATA_DIR);
  for (const statement of [
    // Each with one task of the same number.
    `${people(12)}
      insert into tasks (id, user_id, title, points, is_daily_routine, created_at, updated_at)
      select i, id, 'Swim', 10, false, now(), now() from numbers`,
    'update user_progress set points = 2.5',
    `update user_progress set run_started_on = '2026-11-20', last_active_on = '2026-11-21' where user_id = '${id(3)}'`,
    `update tasks set last_completed_at = '2026-11-21T08:30:00Z' where id = 4`,
  ])
    await database.orm.em.fork().execute(statement);
  await database.close();
  const listed = (result: string) =>
    [
      `points: 12 ${result}`,
      ...Array.from({ length: 10 }, (_, index) => `  user ${id(index + 1)}: 2.5 is stored, 0 replayed`),
      '  and 2 more',
      `current run: 1 ${result}`,
      expect.stringContaining(`  user ${id(3)}: 2026-11-20 to 2026-11-21 is stored, `),
      `last completion: 1 ${result}`,
      expect.stringMatching(`^  user ${id(4)}, task 4: 2026-11-21 08:30:00.* is stored, null replayed$`),
    ] as string[];
  for (const [args, code, result] of [
    [[], 1, 'wrong'],
    [['--fix'], 0, 'repaired'],
  ] as const) {
    const found = await verify(...args);
    expect(found.code).toBe(code);
    expect(found.lines).toEqual(expect.arrayContaining(listed(result)));
    expect(found.lines).toHaveLength(listed(result).length);
  }
  expect(await verify()).toEqual({ code: 0, lines: ['Every counter agrees with its history.'] });
});
