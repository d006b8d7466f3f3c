import pg from 'pg';
import { onTestFinished } from 'vitest';
import { eventually } from './eventually.js';
import { startService, temporaryFolder } from './process.js';
import { SECRET } from './world.js';

/** Two processes of the built service on one database. */
export async function twoProcesses(DATABASE_URL: string) {
  const start = () =>
    startService({ DATABASE_URL, DATA_DIR: temporaryFolder(), JWT_SECRET: SECRET }).listening();
  return { here: await start(), there: await start() };
}

/** What calls answer that have all come as far as the counters of their user before one of them goes on. */
export async function answersAtOnce<Answer>(
  databaseUrl: string,
  userId: string,
  ask: () => Promise<Answer>[],
): Promise<Answer[]> {
  const direct = new pg.Client(databaseUrl);
  await direct.connect();
  onTestFinished(() => direct.end());
  await direct.query('begin');
  await direct.query('select from user_progress where user_id = $1 for no key update', [userId]);
  const asked = ask();
  await eventually(async () => {
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return (await direct.query(waiting)).rowCount === asked.length;
  });
  await direct.query('commit');
  return Promise.all(asked);
}
