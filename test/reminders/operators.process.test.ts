import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { examine } from '../../src/operation/doctor/examination.js';
import { newFile } from '../support/backup-commands.js';
import { inOneProcess } from '../support/commands.js';
import { temporaryFolder } from '../support/process.js';
import { closedPort, Receiver } from '../support/receivers.js';
import { withServer } from '../support/with-server.js';

const server = withServer();

const PERSON = '00000000-0000-4000-8000-000000000001';

/** Somebody who is reminded by ntfy, and the command `steady reminders`. */
async function town() {
  const ntfy = await new Receiver().start();
  const environment = {
    DATABASE_URL: await server.newDatabase(),
    DATA_DIR: temporaryFolder(),
    NTFY_URL: ntfy.url,
    PUBLIC_URL: 'https://habits.example.com',
  };
  const client = new pg.Client(environment.DATABASE_URL);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`
    insert into users (id, name, email, password_hash, created_at, updated_at)
    values ('${PERSON}', 'Ana', 'ana@example.com', '', now(), now());
    insert into user_progress (user_id, points, current_streak, max_streak, longest_run)
    values ('${PERSON}', 0, 0, 0, 0);
    insert into reminders (id, user_id, task_id, minute, weekdays, next_at)
    values (gen_random_uuid(), '${PERSON}', null, 480, 127, '2099-01-01T08:00:00Z');
    insert into channels (id, user_id, kind, name, host, address, state, created_at)
    values (gen_random_uuid(), '${PERSON}', 'NTFY', 'Phone', 'ntfy', 'a-secret-topic', 'WORKING', now())`);
  const says = (lines: string[][], more = {}) =>
    inOneProcess(
      lines.map((args) => ({ script: 'reminders', args })),
      { ...environment, ...more },
    );
  return { ntfy, environment, client, says };
}

describe('steady reminders', () => {
  it('says what rings and by what, and lets it ring or not', async () => {
    const { says } = await town();
    const [before, off, held, on, after] = await says([['status'], ['off'], ['status'], ['on'], ['status']]);
    const status = `Sent by: PUSH, NTFY.\n1 reminders, 1 channels, 0 messages waiting.\nThe next rings at 2099-01-01 08:00 UTC.\n`;
    expect(before).toEqual({ code: 0, output: `Reminders ring.\n${status}` });
    expect(off).toEqual({ code: 0, output: 'Reminders ring nobody.\n' });
    expect(held).toEqual({ code: 0, output: `Reminders ring nobody: off.\n${status}` });
    expect(on).toEqual({ code: 0, output: 'Reminders ring from the next minute on.\n' });
    expect(after).toEqual(before);
  });

  it('tries the channels of a user, and tells no secret', async () => {
    const { ntfy, says } = await town();
    const [taken, unknown] = await says([
      ['test', 'ANA@example.com'],
      ['test', 'ben@example.com'],
    ]);
    expect(taken).toEqual({ code: 0, output: 'NTFY Phone: taken\n' });
    expect(ntfy.taken.map(({ body }) => body.topic)).toEqual(['a-secret-topic']);
    expect(unknown).toEqual({ code: 1, output: 'There is no such user, or one without channels\n' });
    ntfy.manner = 403;
    const [refused] = await says([['test', 'ana@example.com']]);
    expect(refused).toEqual({ code: 1, output: 'NTFY Phone: The receiver answered 403\n' });
    const [without] = await says([['test', 'ana@example.com']], { NTFY_URL: '' });
    expect(without).toEqual({ code: 1, output: 'NTFY Phone: this service cannot send that\n' });
  });
});

describe('A restored database', () => {
  it('rings nobody until the operator says so, and the doctor says that', async () => {
    const { environment, says } = await town();
    const file = newFile();
    const DATABASE_URL = await server.newDatabase('template template0');
    const [saved] = await inOneProcess([{ script: 'backup', args: ['--to', file] }], environment);
    expect(saved?.code, saved?.output).toBe(0);
    const restored = { ...environment, DATABASE_URL };
    const [brought] = await inOneProcess([{ script: 'restore', args: [file] }], restored);
    expect(brought?.code, brought?.output).toBe(0);
    const [status] = await says([['status']], { DATABASE_URL });
    expect(status?.output).toMatch(/^Reminders ring nobody: held\.\n.*\n1 reminders, 1 channels/);
    expect(await findings(restored)).toContainEqual([
      'warning',
      'the database was restored, and they are held back',
    ]);
    await says([['on']], { DATABASE_URL });
    expect(await findings(restored)).toContainEqual(['ok', 'they can be sent by Web Push, ntfy']);
  });
});

const findings = async (environment: Record<string, string>) =>
  (await examine(systemClock, environment))
    .filter(({ about }) => about === 'reminders')
    .map(({ state, message }) => [state, message]);

describe('The doctor', () => {
  it('asks ntfy and Apprise whether they are there, and says where no browser can be reached', async () => {
    const { ntfy, environment } = await town();
    const apprise = await new Receiver().start();
    apprise.manner = 502;
    const found = await findings({
      ...environment,
      PUBLIC_URL: 'http://habits.example.com',
      APPRISE_URL: `${apprise.url}/notify`,
    });
    expect(found).toContainEqual(['ok', 'NTFY_URL answers']);
    expect(found).toContainEqual(['warning', 'APPRISE_URL answers 502']);
    expect(found).toContainEqual(['warning', expect.stringContaining('no browser can be reached')]);
    expect([...ntfy.taken, ...apprise.taken].map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1/health',
      'GET /status',
    ]);
    expect(await findings({ ...environment, NTFY_URL: await closedPort() })).toContainEqual([
      'warning',
      'NTFY_URL: The receiver cannot be reached (ECONNREFUSED)',
    ]);
  });
});
