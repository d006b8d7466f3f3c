import { expect, it } from 'vitest';
import { changesFrom } from '../../src/graphql/live/events.js';

type Announcements = Parameters<typeof changesFrom>[0];

it('A subscription that had too much waiting before it began is told so, and leaves nothing behind', async () => {
  let subscribers = 0;
  const subscribe: Announcements['subscribe'] = async (_userId, { notify }) => {
    subscribers += 1;
    for (let change = 0; change <= 100; change += 1) notify({ change });
    return () => {
      subscribers -= 1;
    };
  };
  const events = await changesFrom({ subscribe } as Announcements).subscribe('progress', 'ana');
  expect(subscribers).toBe(0);
  await expect(events[Symbol.asyncIterator]().next()).rejects.toMatchObject({ reason: 'OVERLOADED' });
});
