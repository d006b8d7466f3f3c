import { describe, expect, it } from 'vitest';
import { people } from '../support/people.js';
import { dataDirectory, openEmbedded, run } from '../support/process.js';

/** What an operator reads, and the code that a script goes by. */
async function commandOn(DATA_DIR: string, script: string, ...args: string[]) {
  const command = run(`operation/commands/${script}.js`, { DATA_DIR }, args);
  const code = await command.exited;
  return { code, output: command.output };
}

const verify = (DATA_DIR: string, ...args: string[]) => commandOn(DATA_DIR, 'streaks-verify', ...args);

async function execute(directory: string, ...statements: string[]) {
  const database = await openEmbedded(directory);
  for (const statement of statements) await database.orm.em.fork().execute(statement);
  await database.close();
}

const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** Each with one task of the same number. */
const swimmers = (count: number) => `${people(count)}
  insert into tasks (id, user_id, title, points, is_daily_routine, created_at, updated_at)
  select i, id, 'Swim', 10, false, now(), now() from numbers`;

const nothing = { code: 0, output: 'Every counter agrees with its history.\n' };

describe('steady streaks verify', () => {
  it('prints each kind of drift with what is stored and recounted, and exits 1', async () => {
    const DATA_DIR = dataDirectory();
    await execute(
      DATA_DIR,
      swimmers(4),
      `update user_progress set points = 2.5 where user_id = '${id(1)}'`,
      `update user_progress set longest_run = 3 where user_id in ('${id(1)}', '${id(2)}')`,
      `update user_progress set run_started_on = '2026-11-20', last_active_on = '2026-11-21' where user_id = '${id(3)}'`,
      'update tasks set completion_count = 7 where id = 3',
      `update tasks set last_completed_at = '2026-11-21T08:30:00Z' where id = 4`,
    );
    const { code, output } = await verify(DATA_DIR);
    expect(code).toBe(1);
    const lines = [
      'points: 1 wrong',
      `  user ${id(1)}: 2.5 is stored, 0 replayed`,
      'longest run: 2 wrong',
      `  user ${id(1)}: 3 is stored, 0 replayed`,
      `  user ${id(2)}: 3 is stored, 0 replayed`,
      'current run: 1 wrong',
      expect.stringContaining(`  user ${id(3)}: 2026-11-20 to 2026-11-21 is stored, `),
      'completion count: 1 wrong',
      `  user ${id(3)}, task 3: 7 is stored, 0 replayed`,
      'last completion: 1 wrong',
      expect.stringMatching(`^  user ${id(4)}, task 4: 2026-11-21 08:30:00.* is stored, null replayed$`),
    ];
    const printed = output.trimEnd().split('\n');
    expect(printed).toEqual(expect.arrayContaining(lines));
    expect(printed).toHaveLength(lines.length);
    expect(await verify(DATA_DIR), 'looking changes nothing').toEqual({ code, output });
  });

  it('shows ten examples of a kind and how many more; --fix repairs all, exits 0 and leaves no drift', async () => {
    const DATA_DIR = dataDirectory();
    await execute(
      DATA_DIR,
      swimmers(12),
      'update user_progress set points = 1',
      `update tasks set completion_count = 1 where user_id <= '${id(10)}'`,
    );
    const numbers = Array.from({ length: 10 }, (_, index) => index + 1);
    const points = [...numbers.map((each) => `  user ${id(each)}: 1 is stored, 0 replayed`), '  and 2 more'];
    const counts = numbers.map((each) => `  user ${id(each)}, task ${each}: 1 is stored, 0 replayed`);
    const listed = (result: string) => [
      ['points: 12', result].join(' '),
      ...points,
      ['completion count: 10', result].join(' '),
      ...counts,
    ];
    const found = await verify(DATA_DIR);
    expect(found.code).toBe(1);
    expect(found.output.trimEnd().split('\n').sort()).toEqual(listed('wrong').sort());
    const fixed = await verify(DATA_DIR, '--fix');
    expect(fixed.code).toBe(0);
    expect(fixed.output.trimEnd().split('\n').sort()).toEqual(listed('repaired').sort());
    expect(await verify(DATA_DIR)).toEqual(nothing);
  });
});
