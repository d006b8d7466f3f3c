import { type KyselyPlugin, sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { Announcements } from '../../src/database/announcements/announcements.js';
import type { Listener } from '../../src/database/announcements/listener.entity.js';
import type { Columns } from '../../src/database/columns.js';
import { world } from '../support/world.js';

/** Whose answers may be lost. */
async function announcing() {
  const { database, newUser } = await world();
  const { id } = await newUser();
  const losing = { isAnswerLost: false };
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (losing.isAnswerLost) throw new Error('The answer is lost');
      return result;
    },
  };
  const announcements = new Announcements(
    async () => async () => {},
    () => database.query<{ listeners: Columns<Listener> }>().withPlugin(plugin),
  );
  onTestFinished(() => announcements.close());
  const isKnown = async () => {
    const { rows } = await sql`select from listeners where user_id = ${id}`.execute(database.query());
    return rows.length > 0;
  };
  const subscribe = () =>
    announcements.subscribe(id, { topic: 'progress', notify: () => {}, interrupt: () => {} });
  return { database, id, losing, announcements, isKnown, subscribe };
}

it('A new subscriber gets a lease, though the answer to giving up the last one was lost', async () => {
  const { losing, isKnown, subscribe } = await announcing();
  const unsubscribe = await subscribe();
  expect(await isKnown()).toBe(true);
  losing.isAnswerLost = true;
  unsubscribe();
  await expect.poll(isKnown).toBe(false);
  losing.isAnswerLost = false;
  await subscribe();
  expect(await isKnown()).toBe(true);
});

it('A lease that another process took for ended is written again', async () => {
  const { database, id, announcements, isKnown, subscribe } = await announcing();
  await subscribe();
  await sql`delete from listeners where user_id = ${id}`.execute(database.query());
  await announcements.renew(); // as every few minutes
  expect(await isKnown()).toBe(true);
});
