import { describe, expect, it } from 'vitest';
import { dataDirectory, run, seed, startService, temporaryFolder } from '../support/process.js';
import { withServer } from '../support/with-server.js';

const server = withServer();

const onServer = async () => ({ DATA_DIR: temporaryFolder(), DATABASE_URL: await server.newDatabase() });
const onEmbedded = async () => ({ DATA_DIR: dataDirectory() });

type Environment = Awaited<ReturnType<typeof onServer | typeof onEmbedded>>;

/** Runs a command that is to end well, and answers with what it printed. */
async function output(script: string, environment: Environment, ...args: string[]): Promise<string> {
  const command = run(`operation/commands/${script}`, environment, args);
  if ((await command.exited) !== 0) throw new Error(command.output);
  return command.output;
}

async function seeded(environment: Environment, ...args: string[]): Promise<string> {
  const seeding = seed(environment, args);
  if ((await seeding.exited) !== 0) throw new Error(seeding.output);
  return seeding.output;
}

function loginIn(text: string) {
  const [, email, password] = /^Log in as (\S+) with the password (\S+)$/m.exec(text) ?? [];
  return { email, password };
}

interface Listed {
  task: { points: number };
  completion_count: number;
}

describe.each([
  ['the embedded database', onEmbedded],
  ['a server', onServer],
])('npm run seed, on %s', (_where, open) => {
  it('makes users with tasks and histories, whose counters are right, and says how to log in', async () => {
    const environment = await open();
    const printed = await seeded(environment, '--users=30', '--tasks=4', '--completions=50');
    expect(printed).toMatch(/^Added 30 users, 120 tasks, 1,500 completions in \d+\.\d s\.$/m);
    expect(await output('streaks-verify.js', environment)).toBe('Every counter agrees with its history.\n');
    expect(await output('streaks-reset.js', environment)).toMatch(/: 0 corrected\.$/m);

    const rest = await startService(environment).listening();
    const login = await rest.post('/api/auth/login', loginIn(printed));
    expect(login.status).toBe(200);
    const ana = rest.as(login.body.token);
    const tasks: Listed[] = (await ana.get('/api/tasks/me')).body;
    expect(tasks.map((task) => task.completion_count)).toEqual([13, 13, 12, 12]);
    const earned = tasks.map(({ task, completion_count: count }) => task.points * count);
    expect((await ana.get('/api/user/profile')).body).toMatchObject({
      points: earned.reduce((sum, points) => sum + points),
      max_streak: expect.toSatisfy((days) => days > 1),
    });
  });
});

const READ = `{ tasks(archived: ANY) { nodes { title archivedAt icon colour tags schedule { kind weekdays everyDays timesPer { period } }
  target { unit } streak { unit count } statistics(from: "FROM", to: "TO") { rate missedDays } } } me { pauses { note } } }`;

it.each([
  ['the embedded database', onEmbedded],
  ['a server', onServer],
])(
  'npm run seed -- --demo, on %s, makes one person with a year of habits of all kinds, once',
  async (_where, open) => {
    const environment = await open();
    const printed = await seeded(environment, '--demo');
    expect(printed).toMatch(/^Added 1 user, 10 tasks, [12],\d{3} completions\.$/m);
    expect(await output('streaks-verify.js', environment)).toBe('Every counter agrees with its history.\n');
    const again = seed(environment, ['--demo']);
    expect([await again.exited, again.output]).toEqual([1, expect.stringContaining('already')]);

    const service = startService(environment);
    const rest = await service.listening();
    const login = await rest.post('/api/auth/login', loginIn(printed));
    expect(loginIn(printed)).toEqual({ email: 'demo@example.org', password: 'demo-habits' });
    const today = new Date();
    const day = (ago: number) => new Date(today.getTime() - ago * 86_400_000).toISOString().slice(0, 10);
    const query = READ.replace('FROM', day(360)).replace('TO', day(0));
    const { data } = (await rest.as(login.body.token).post('/graphql', { query })).body;
    const { nodes } = data.tasks;
    const kinds = nodes.map(({ schedule, target }: Shown) =>
      [schedule.timesPer?.period ?? schedule.weekdays?.length ?? schedule.kind, target?.unit]
        .filter(Boolean)
        .join(' '),
    );
    expect(kinds).toEqual([
      'EVERY_DAY',
      '3',
      'EVERY_DAY glasses',
      'EVERY_DAY pages',
      'WEEK',
      'INTERVAL',
      'MONTH',
      'WEEK',
      'EVERY_DAY km',
      'EVERY_DAY cups',
    ]);
    expect(nodes[0].streak).toMatchObject({ unit: 'DAYS', count: expect.toSatisfy((days) => days > 20) });
    for (const { title, statistics } of nodes) {
      expect(statistics.rate, title).toBeGreaterThan(0.3);
      expect(statistics.missedDays, title).toBeGreaterThan(0);
    }
    expect(data.me.pauses).toEqual([{ note: 'Portugal' }]);
  },
);

interface Shown {
  schedule: { kind: string; weekdays: string[] | null; timesPer: { period: string } | null };
  target: { unit: string } | null;
}
