import { type KyselyPlugin, sql } from 'kysely';
import { expect, it } from 'vitest';
import { Announcements } from '../../src/database/announcements/announcements.js';
import type { Listener } from '../../src/database/announcements/listener.entity.js';
import type { Columns } from '../../src/database/columns.js';
import { world } from '../support/world.js';

it('A new subscriber gets a lease, though the answer to giving up the last one was lost', async () => {
  const { database, newUser } = await world();
  const { id } = await newUser();
  let isAnswerLost = false;
  const losing: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (isAnswerLost) throw new Error('The answer is lost');
      return result;
    },
  };
  const announcements = new Announcements(
    async () => async () => {},
    () => database.query<{ listeners: Columns<Listener> }>().withPlugin(losing),
  );
  const isKnown = async () => {
    const { rows } = await sql`select from listeners where user_id = ${id}`.execute(database.query());
    return rows.length > 0;
  };
  const subscriber = { topic: 'progress', notify: () => {}, interrupt: () => {} };

  const unsubscribe = await announcements.subscribe(id, subscriber);
  expect(await isKnown()).toBe(true);
  isAnswerLost = true;
  unsubscribe();
  await expect.poll(isKnown).toBe(false);
  isAnswerLost = false;
  await announcements.subscribe(id, subscriber);
  expect(await isKnown()).toBe(true);
  await announcements.close();
});

it('A lease that another process took for ended is written again', async () => {
  const { database, newUser } = await world();
  const { id } = await newUser();
  const announcements = new Announcements(
    async () => async () => {},
    () => database.query<{ listeners: Columns<Listener> }>(),
  );
  await announcements.subscribe(id, { topic: 'progress', notify: () => {}, interrupt: () => {} });
  await sql`delete from listeners where user_id = ${id}`.execute(database.query());
  await announcements.renew(); // as every few minutes
  const { rows } = await sql`select from listeners where user_id = ${id}`.execute(database.query());
  expect(rows).toHaveLength(1);
  await announcements.close();
});
