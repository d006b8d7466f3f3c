import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { overloaded, unavailable } from '../../src/base/errors.js';
import { Passwords } from '../../src/base/passwords/passwords.js';
import { asRequest, asVisit, noteChange } from '../../src/base/request.js';

const refused = { status: 'rejected', reason: overloaded() };
const done = { status: 'fulfilled', value: expect.stringMatching(/^hmac-sha384\+bcrypt:/) };

const [quick, slow] = [4, 8].map((hashCost) => new Passwords({ hashThreads: 1, hashCost })) as [
  Passwords,
  Passwords,
];

beforeAll(async () => {
  for (const each of [quick, slow]) await each.hash('secret'); // their threads are idle
  return () => Promise.all([quick.close(), slow.close()]);
});

it('A password is hashed for an account that is not there, too, so that the time tells nobody which are', async () => {
  await slow.matches('secret', null); // what stands for a hash is made
  const asked = [1, 2, 3].map(() => slow.matches('secret', null));
  await new Promise(setImmediate);
  expect(slow.waiting).toBe(2);
  expect(await Promise.all(asked)).toEqual([false, false, false]);
});

it('A hash is of the cost that is set, and never twice the same', async () => {
  const hashes = [await quick.hash('secret'), await quick.hash('secret')];
  for (const hash of hashes) expect(hash).toMatch(/^hmac-sha384\+bcrypt:\$2b\$04\$.{53}$/);
  expect(new Set(hashes).size).toBe(2);
});

it('Nobody waits behind a crowd of one user, of whom as many are hashed for as there is room', async () => {
  const order: string[] = [];
  const hashFor = (asker: string) =>
    asRequest(60_000, () => quick.hash('secret'), asker).then(
      () => order.push(asker),
      () => {},
    );
  await Promise.all([...Array(400).fill('crowd'), 'ana', 'bob'].map(hashFor));
  expect(order.slice(0, 4)).toEqual(['crowd', 'crowd', 'ana', 'bob']);
  expect(order).toHaveLength(301);
});

it('A request that has changed something is not told that nothing was changed', async () => {
  const changing = (time: number) =>
    asRequest(time, () => {
      noteChange();
      return slow.hash('secret');
    });
  const answers = await Promise.allSettled([60_000, 5, 60_000].map(changing));
  const unknown = { status: 'rejected', reason: unavailable('UNKNOWN', 'OVERLOADED') };
  expect(answers).toEqual([done, unknown, done]);
});

it('Nothing is hashed for clients that have gone, and for requests whose time has run out, while they waited', async () => {
  const [staying, leaving] = [{ destroyed: false }, { destroyed: false }];
  const hashFor = (client: typeof leaving, time = 60_000) =>
    asVisit({ isAbandoned: () => client.destroyed }, () => asRequest(time, () => slow.hash('secret')));
  const asked = [
    hashFor(staying),
    hashFor(leaving),
    hashFor(staying),
    hashFor(staying, -1),
    hashFor(staying),
  ];
  leaving.destroyed = true;
  expect(await Promise.allSettled(asked)).toEqual([done, refused, done, refused, done]);
});

it('Hashing waits for longer than other work, so that a crowd on a busy machine is served to the last', async () => {
  const passwords = new Passwords({ hashThreads: 1, hashCost: 6, timeouts: { hashing: 60_000 } });
  onTestFinished(() => passwords.close());
  const asked = Array.from({ length: 10 }, () => asRequest(2, () => passwords.hash('secret')));
  expect(await Promise.allSettled(asked)).toEqual(Array(10).fill(done));
});
