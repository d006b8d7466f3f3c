import { describe, expect, it } from 'vitest';
import { dataDirectory, run, startService } from '../support/process.js';

const seed = (DATA_DIR: string, ...args: string[]) => run('commands/seed.js', { DATA_DIR }, args);

describe('npm run db:seed', () => {
  it('makes users with tasks and histories, whose counters are right, and says how to log in', async () => {
    const DATA_DIR = dataDirectory();
    const command = seed(DATA_DIR, '--users=20', '--tasks=3', '--completions=10');
    expect(await command.exited).toBe(0);
    expect(command.output).toMatch(/^Added 20 users, 60 tasks, 200 completions in /m);
    const [, email, password] = /^Log in as (\S+) with the password (\S+)$/m.exec(command.output) ?? [];

    const verify = run('commands/streaks-verify.js', { DATA_DIR });
    expect(await verify.exited).toBe(0);
    const reset = run('commands/streaks-reset.js', { DATA_DIR });
    await reset.exited;
    expect(reset.output).toContain(': 0 corrected.');

    const rest = await startService({ DATA_DIR }).listening();
    const { status, body } = await rest.post('/api/auth/login', { email, password });
    expect(status).toBe(200);
    const tasks = (await rest.as(body.token).get('/api/tasks/me')).body;
    const counts = tasks.map((listed: { completion_count: number }) => listed.completion_count);
    expect(counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(10);
    expect(counts).toHaveLength(3);
  });

  it('breaks the streaks of just so many users, and may be run again', async () => {
    const DATA_DIR = dataDirectory();
    expect(await seed(DATA_DIR, '--users=30').exited).toBe(0);
    expect(await seed(DATA_DIR, '--users=100', '--completions=20', '--broken=30').exited).toBe(0);
    const reset = run('commands/streaks-reset.js', { DATA_DIR });
    await reset.exited;
    expect(reset.output).toContain(': 30 corrected.');
    expect(await run('commands/streaks-verify.js', { DATA_DIR }).exited).toBe(0);
  });

  it.each([
    ['--users=many', '--users must be a whole number from 1 to 100000000, and is "many"\n'],
    ['--tasks=0', '--completions needs tasks to complete: --tasks must be at least 1\n'],
    ['--people=5', 'Unknown argument --people=5. Allowed: --users=… --tasks=… --completions=… --broken=…\n'],
  ])('refuses %s with a clear message', async (argument, message) => {
    const command = seed(dataDirectory(), argument);
    expect(await command.exited).toBe(1);
    expect(command.output).toBe(message);
  });
});
