import os from 'node:os';
import type pg from 'pg';
import { around, ask, check } from './answers.ts';
import { kinds, LONG, of, SHORT, type Who } from './contests.ts';
import type { Order, Requests } from './generator.ts';
import { type SeededUser, seedUsers, startService } from './service.ts';
import { type Server, startScript } from './sides.ts';

// Who is measured, and with what data.

/** As the service should have it: the server waits for its disk. Neither vacuum nor checkpoints fall into a round. */
export const POSTGRES = {
  fsync: 'on',
  shared_buffers: '512MB',
  autovacuum: 'off',
  max_wal_size: '8GB',
  checkpoint_timeout: '1h',
};

const SEEDED = { users: 500, tasks: 20, completions: 100 };
const EMBEDDED = { ...SEEDED, users: 50 };

/** How many have a long history, and how many a short one. */
const FEW = 5;

/** When and where this was measured. */
export async function header(database: pg.Client): Promise<string> {
  const { rows } = await database.query('show server_version');
  const [{ model = '' } = {}, ...others] = os.cpus();
  const machine = `${1 + others.length} cores (${model}), load ${os.loadavg()[0]?.toFixed(1)}`;
  const day = new Date().toISOString().slice(0, 10);
  return `${day}, Node ${process.version}, PostgreSQL ${rows[0].server_version}, ${machine}`;
}

/** What to call at the end, whatever comes in between. */
export type Stops = (() => unknown)[];

const stoppedBy = async <Started extends Server>(stops: Stops, starting: Promise<Started>) => {
  const server = await starting;
  stops.push(server.stop);
  return server;
};

export interface Opened {
  servers: Partial<Record<Who, Server>>;
  requests: Requests;
  lengths: NonNullable<Order['lengths']>;
  /** Who may ask for more than the requests. */
  users: SeededUser[];
}

/** The floor and the service, on one database. */
export async function openOnServer(
  environment: Record<string, string>,
  database: pg.Client,
  { withHistory, stops }: { withHistory: boolean; stops: Stops },
): Promise<Opened> {
  const users = await seedUsers(environment, SEEDED);
  const [long, short, others] = [users.slice(0, FEW), users.slice(FEW, 2 * FEW), users.slice(2 * FEW)];
  await addChallenges(database);
  if (withHistory) {
    await addHistory(database, long, LONG);
    await addHistory(database, short, SHORT);
  }
  await database.query('vacuum analyze');
  await database.query('checkpoint');
  const [floor, service] = await Promise.all([
    stoppedBy(stops, startScript('./floor.ts', environment)),
    stoppedBy(stops, startService(environment)),
  ]);
  const lengths = await check([floor.port, service.port], others, database);
  const list = { least: 0, most: Infinity, ...lengths['REST list'] };
  return {
    servers: { floor, service },
    requests: {
      ...Object.fromEntries(Object.keys(kinds).map((kind) => [kind, others.map((user) => of(kind, user))])),
      'short history': short.map((user) => of('REST list', user)),
      'long history': long.map((user) => of('REST list', user)),
    },
    lengths: { ...lengths, 'short history': list, 'long history': list },
    users: others,
  };
}

export async function openEmbedded(
  environment: Record<string, string>,
  stops: Stops,
): Promise<Omit<Opened, 'users'>> {
  const users = await seedUsers(environment, EMBEDDED);
  const embedded = await stoppedBy(stops, startService(environment));
  const opened: Omit<Opened, 'users'> = { servers: { embedded }, requests: {}, lengths: {} };
  for (const kind of ['REST list', 'REST complete']) {
    const name = `embedded ${kind}`;
    opened.requests[name] = users.map((user) => of(kind, user));
    const { body } = await ask(embedded.port, opened.requests[name][0] ?? '');
    opened.lengths[name] = around([Buffer.byteLength(body)]);
  }
  return opened;
}

export async function addChallenges(database: pg.Client): Promise<void> {
  await database.query(`
    insert into user_challenges (user_id, template_id, status, start_date, created_at, updated_at)
    select user_id, 1 + row_number() over () % 7, 'ACTIVE', now(), now(), now() from user_progress`);
}

/** As if each task of these users had been completed so many times in all. */
async function addHistory(database: pg.Client, users: SeededUser[], completions: number): Promise<void> {
  const given = [users.map(({ id }) => id), completions - SEEDED.completions / SEEDED.tasks];
  await database.query('set session_replication_role = replica'); // what they refer to is there
  await database.query(
    `insert into task_completions (user_id, task_id, points, completed_at)
     select user_id, id, points, created_at + number * interval '1 minute'
     from tasks, generate_series(1, $2::int) number where user_id = any($1::uuid[])`,
    given,
  );
  await database.query(
    'update tasks set completion_count = completion_count + $2 where user_id = any($1::uuid[])',
    given,
  );
  await database.query('set session_replication_role = default');
}
