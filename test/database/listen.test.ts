import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { listenOnServer } from '../../src/database/server/listen.js';
import { freshUrl } from '../support/database.js';

const template = inject('template');

it('Listening can be ended while it is being restored', async () => {
  const url = await freshUrl(template.url);
  let attempts = 0;
  let begun = () => {};
  let answer = () => {};
  const restoring = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const heard: string[] = [];
  const stop = await listenOnServer(url, {
    requireHeld: async () => {
      attempts += 1;
      if (attempts === 1) return;
      begun();
      await held;
    },
  })({ receive: () => {}, lost: () => heard.push('lost'), reconnected: () => heard.push('again') });

  const other = new pg.Client(url);
  await other.connect();
  await other.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'steady announcements' and datname = current_database()`,
  );
  await other.end();
  await restoring;
  const stopped = stop();
  answer();
  await stopped;
  expect(heard).toEqual(['lost']);
});
