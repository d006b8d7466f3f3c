import type pg from 'pg';
import { around, ask, check } from './answers.ts';
import type { Bench } from './bench.ts';
import { kinds, of, type Who } from './contests.ts';
import type { Order, Requests } from './generator.ts';
import { type SeededUser, type Server, seedUsers } from './service.ts';

// Who is measured, and with what data.

const SEEDED = { users: 500, tasks: 20, completions: 100 };
const EMBEDDED = { ...SEEDED, users: 50 };

export interface Opened {
  servers: Partial<Record<Who, Server>>;
  requests: Requests;
  lengths: NonNullable<Order['lengths']>;
  /** Who may ask for more than the requests. */
  users: SeededUser[];
}

/** The baseline and the service, on one database. */
export async function openOnServer(
  bench: Bench,
  environment: Record<string, string>,
  database: pg.Client,
): Promise<Opened> {
  const users = await seedUsers(environment, SEEDED);
  await database.query(`
    insert into user_challenges (user_id, template_id, status, start_date, created_at, updated_at)
    select user_id, 1 + row_number() over () % 7, 'ACTIVE', now(), now(), now() from user_progress`);
  await database.query('vacuum analyze');
  await database.query('checkpoint');
  const [baseline, service] = await Promise.all([
    bench.script('./baseline.ts', environment),
    bench.service(environment),
  ]);
  return {
    servers: { baseline, service },
    requests: Object.fromEntries(
      Object.keys(kinds).map((kind) => [kind, users.map((user) => of(kind, user))]),
    ),
    lengths: await check([baseline.port, service.port], users, database),
    users,
  };
}

export async function openEmbedded(
  bench: Bench,
  environment: Record<string, string>,
): Promise<Omit<Opened, 'users'>> {
  const users = await seedUsers(environment, EMBEDDED);
  const embedded = await bench.service(environment);
  const opened: Omit<Opened, 'users'> = { servers: { embedded }, requests: {}, lengths: {} };
  for (const kind of ['REST list', 'REST complete']) {
    const name = `embedded ${kind}`;
    opened.requests[name] = users.map((user) => of(kind, user));
    const { body } = await ask(embedded.port, opened.requests[name][0] ?? '');
    opened.lengths[name] = around([Buffer.byteLength(body)]);
  }
  return opened;
}
