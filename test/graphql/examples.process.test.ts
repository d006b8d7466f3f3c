import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/process.js';
import { world, worldOf } from '../support/world.js';

/** Someone at a terminal, with a home directory of their own. */
function terminal(base: string) {
  const HOME = temporaryFolder();
  mkdirSync(HOME);
  const env = {
    PATH: process.env.PATH,
    HOME,
    USERPROFILE: HOME,
    STEADY_URL: base,
    HABITS_PASSWORD: 'secret1',
  };
  return async (...args: string[]) => {
    const run = promisify(execFile)(process.execPath, ['examples/habit-cli/habits.ts', ...args], { env });
    const { stdout, stderr } = await run.catch((failed) => failed);
    return `${stdout}${stderr}`;
  };
}

describe('The example on the command line', () => {
  it('signs up, makes a task, completes it and shows it', async () => {
    const { base } = await world();
    const habits = terminal(base);
    const email = `${randomUUID()}@example.com`;
    expect(await habits('sign-up', 'Ana', email)).toBe('Welcome, Ana.\n');
    const id = /^\d+/.exec(await habits('add', 'Swim 1 km', '15'))?.[0] ?? '';
    expect(await habits('done', id)).toBe('Swim 1 km: done 1 times.\n15 points, a streak of 1 days.\n');
    expect(await habits('tasks')).toBe(`${id}  Swim 1 km (15 points): done 1 times, last on 2026-11-21\n`);
    expect(await habits('log-in', email)).toBe('Welcome, Ana.\n');
  });

  it('shows the days of a month in weeks, and which had something done', async () => {
    const { base } = await world();
    const habits = terminal(base);
    await habits('sign-up', 'Ana', `${randomUUID()}@example.com`);
    await habits('done', /^\d+/.exec(await habits('add', 'Swim'))?.[0] ?? '');
    expect((await habits('month', '2026-11')).split('\n')).toEqual([
      'Mon Tue Wed Thu Fri Sat Sun',
      '                          1',
      '  2   3   4   5   6   7   8',
      '  9  10  11  12  13  14  15',
      ' 16  17  18  19  20  21* 22',
      ' 23  24  25  26  27  28  29',
      ' 30',
      '1 days with something done.',
      '',
    ]);
  });

  it('says what the service says when it is refused', async () => {
    const { base } = await world();
    const habits = terminal(base);
    expect(await habits('tasks')).toBe(
      'User not authenticated: send the header Authorization: Bearer TOKEN\nLog in with: habits.ts log-in <e-mail>\n',
    );
    await habits('sign-up', 'Ana', `${randomUUID()}@example.com`);
    expect(await habits('done', '0')).toBe('Task not found\n');
    expect(await habits('nonsense')).toMatch(/^Usage: /);
  });
});

it('The first screen of an app can be tried on the command line', async () => {
  const { ana } = await worldOf('ana');
  const { id } = await ana.hasTask();
  const env = { PATH: process.env.PATH, STEADY_URL: ana.base, STEADY_TOKEN: ana.token };
  const main = (...args: string[]) =>
    promisify(execFile)(process.execPath, ['examples/first-screen/main.ts', ...args], { env });
  expect((await main('tap', `${id}`)).stdout).toContain(`[x] |      #| ${id} Swim, 1 days\n`);
  expect((await main('undo', `${id}`)).stdout).toContain(`[ ] |      ?| ${id} Swim, 0 days\n`);
});
