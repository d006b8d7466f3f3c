import pg from 'pg';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { ToAll } from '../../src/database/announcements/to-all.js';
import { listenOnServer } from '../../src/database/server/listen.js';
import { freshUrl } from '../support/database.js';
import { eventually } from '../support/eventually.js';

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

it('While nobody says where requests go, nothing counts as heard, and listening goes on', async () => {
  const url = await freshUrl(template.url);
  let asked = 0;
  const requireHeld = async () => {
    asked += 1;
    if (asked > 1) throw new Error('timeout exceeded when trying to connect');
  };
  const heard: number[] = [];
  const stop = await listenOnServer(url, { requireHeld })({
    receive: () => {},
    heard: () => heard.push(asked),
    lost: () => heard.push(Number.NaN),
    reconnected: () => {},
  });
  await eventually(() => asked === 3); // so the answer to the second is there
  await stop();
  expect(heard).toEqual([1]);
});

it('What is announced counts as heard for a moment only, and not after a loss', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(10_000);
  onTestFinished(() => now.mockRestore());
  const toAll = new ToAll();
  expect(toAll.isHeard).toBe(false);
  toAll.heard();
  expect(toAll.isHeard).toBe(true);
  now.mockReturnValue(22_000); // nobody has answered whether it goes on
  expect(toAll.isHeard).toBe(false);
  toAll.heard(true);
  expect(toAll.isHeard).toBe(true);
  toAll.lost();
  expect(toAll.isHeard).toBe(false);
  expect(toAll.isReliedOn).toBe(false);
  toAll.askUntil();
  expect(toAll.isReliedOn).toBe(true);
});
