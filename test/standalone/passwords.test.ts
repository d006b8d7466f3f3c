import { describe, expect, it, onTestFinished } from 'vitest';
import { Passwords } from '../../src/accounts/passwords.js';
import { overloaded, unavailable } from '../../src/errors.js';
import { asRequest, asVisit, noteChange, timeLeft } from '../../src/request.js';

const refused = { status: 'rejected', reason: overloaded() };
const done = { status: 'fulfilled', value: expect.stringMatching(/^hmac-sha384\+bcrypt:/) };

function passwordsWith(settings: { hashQueue?: number; hashCost?: number } = {}): Passwords {
  const passwords = new Passwords({ hashWorkers: 1, hashQueue: 100, hashCost: 4, ...settings });
  onTestFinished(() => passwords.close());
  return passwords;
}

describe('Hashing', () => {
  it('refuses at once when its queue is full', async () => {
    const passwords = passwordsWith({ hashQueue: 3 });
    await passwords.hash('secret'); // the thread is idle
    const asked = Array.from({ length: 10 }, () => passwords.hash('secret'));
    const answers = await Promise.allSettled(asked);
    const [running, waiting, surplus] = [1, 3, 6];
    expect(answers).toEqual([...Array(running + waiting).fill(done), ...Array(surplus).fill(refused)]);
    expect(await passwords.hash('secret')).toEqual(done.value);
  });

  it('lets nobody wait behind a crowd of one user, and lets others in where that crowd fills the queue', async () => {
    const passwords = passwordsWith({ hashQueue: 4, hashCost: 6 });
    await passwords.hash('secret');
    const order: string[] = [];
    const hashFor = (asker: string) =>
      asRequest(60_000, () => passwords.hash('secret'), asker).then(
        () => order.push(asker),
        () => order.push(`${asker} refused`),
      );
    await Promise.all([...Array(6).fill('crowd'), 'ana', 'bob'].map(hashFor));
    expect(order.slice(0, 3)).toEqual(Array(3).fill('crowd refused')); // one too many, and two for the others
    expect(order.slice(3)).toEqual(['crowd', 'crowd', 'ana', 'bob', 'crowd']);
  });

  it('does not tell a request that has changed something that nothing was changed', async () => {
    const passwords = passwordsWith({ hashQueue: 2, hashCost: 8 });
    await passwords.hash('secret');
    const changing = (time: number) =>
      asRequest(time, () => {
        noteChange();
        return passwords.hash('secret');
      });
    const answers = await Promise.allSettled([60_000, 5, 60_000, 60_000].map(changing));
    const unknown = { status: 'rejected', reason: unavailable('UNKNOWN', 'OVERLOADED') };
    expect(answers).toEqual([done, unknown, done, unknown]);
  });

  it('hashes nothing for clients that have gone while they waited', async () => {
    const passwords = passwordsWith();
    const [staying, leaving] = [{ destroyed: false }, { destroyed: false }];
    const hashFor = (client: typeof leaving) =>
      asVisit({ isAbandoned: () => client.destroyed }, () =>
        asRequest(60_000, () => passwords.hash('secret')),
      );
    const asked = [hashFor(staying), hashFor(leaving), hashFor(staying), hashFor(leaving), hashFor(staying)];
    leaving.destroyed = true;
    expect(await Promise.allSettled(asked)).toEqual([done, refused, done, refused, done]);
  });

  it('hashes nothing for requests whose time has run out while they waited', async () => {
    const passwords = passwordsWith({ hashCost: 8 });
    const hashWithin = (time: number) => asRequest(time, () => passwords.hash('secret'));
    const asked = [hashWithin(60_000), hashWithin(-1), hashWithin(60_000), hashWithin(-1)];
    expect(await Promise.allSettled(asked)).toEqual([done, refused, done, refused]);
  });

  it('takes none of the time that a request has for statements', async () => {
    const passwords = passwordsWith({ hashCost: 12 });
    await asRequest(60_000, async () => {
      const [began, left] = [performance.now(), timeLeft()];
      await passwords.hash('secret');
      expect(left - timeLeft()).toBeLessThan((performance.now() - began) / 2);
    });
  });
});
