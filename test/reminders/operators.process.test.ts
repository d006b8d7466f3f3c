import pg from 'pg';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { examine } from '../../src/operation/doctor/examination.js';
import { newFile } from '../support/backup-commands.js';
import { inOneProcess } from '../support/commands.js';
import { temporaryFolder } from '../support/process.js';
import { withServer } from '../support/with-server.js';

const server = withServer();

const PERSON = '00000000-0000-4000-8000-000000000001';

/** A database with somebody who is reminded by ntfy. */
async function town(): Promise<string> {
  const url = await server.newDatabase();
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`
    insert into users (id, name, email, password_hash, created_at, updated_at)
    values ('${PERSON}', 'Ana', 'ana@example.com', '', now(), now());
    insert into user_progress (user_id, points, current_streak, max_streak, longest_run)
    values ('${PERSON}', 0, 0, 0, 0);
    insert into reminders (id, user_id, task_id, minute, weekdays, next_at)
    values (gen_random_uuid(), '${PERSON}', null, 480, 127, '2099-01-01T08:00:00Z');
    insert into channels (id, user_id, kind, name, host, address, state, created_at)
    values (gen_random_uuid(), '${PERSON}', 'NTFY', 'Phone', 'ntfy', 'a-secret-topic', 'WORKING', now())`);
  await client.end();
  return url;
}

it('A restored database rings nobody until the operator says so, and the doctor says that', async () => {
  const environment = {
    DATABASE_URL: await town(),
    DATA_DIR: temporaryFolder(),
    NTFY_URL: 'http://127.0.0.1:9',
    PUBLIC_URL: 'https://habits.example.com',
  };
  const restored = { ...environment, DATABASE_URL: await server.newDatabase('template template0') };
  const says = async (script: string, args: string[], where: Record<string, string> = restored) => {
    const [told] = await inOneProcess([{ script, args }], where);
    expect(told?.code, told?.output).toBe(0);
    return told?.output ?? '';
  };
  const findings = async () =>
    (await examine(systemClock, restored))
      .filter(({ about }) => about === 'reminders')
      .map(({ message }) => message);
  const file = newFile();
  await says('backup', ['--to', file], environment);
  const status =
    /^Reminders ring\.\nSent by: PUSH, NTFY\.\n1 reminders, 1 channels, 0 messages waiting\.\nThe next rings/;
  expect(await says('reminders', ['status'], environment)).toMatch(status);
  await says('restore', [file]);
  expect(await says('reminders', ['status'])).toMatch(/^Reminders ring nobody: held\.\n/);
  expect(await findings()).toContain('the database was restored, and they are held back');
  await says('reminders', ['on']);
  expect(await says('reminders', ['status'])).toMatch(status);
  expect(await findings()).toContain('they can be sent by Web Push, ntfy');
});
