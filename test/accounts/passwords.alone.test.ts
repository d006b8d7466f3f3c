import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { overloaded, unavailable } from '../../src/base/errors.js';
import { type PasswordSettings, Passwords } from '../../src/base/passwords/passwords.js';
import { asRequest, asVisit, noteChange, timeLeft } from '../../src/base/request.js';

const refused = { status: 'rejected', reason: overloaded() };
const done = { status: 'fulfilled', value: expect.stringMatching(/^hmac-sha384\+bcrypt:/) };

function passwordsWith(hashCost = 4, settings: Partial<PasswordSettings> = {}): Passwords {
  const passwords = new Passwords({ hashThreads: 1, hashCost, ...settings });
  onTestFinished(() => passwords.close());
  return passwords;
}

/** The niceness of each thread of this process, as Linux tells it. */
const nicenesses = () =>
  readdirSync('/proc/self/task').map((thread) => {
    const fields = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
    return Number(fields?.[16]);
  });

/** Where all threads are polite, those that hash cannot be told from others. */
const canTell = process.platform === 'linux' && getPriority() < 7;

describe('Hashing', () => {
  it('is done for an account that is not there, too, so that its time tells nobody which are', async () => {
    const passwords = passwordsWith(8);
    await passwords.matches('secret', null); // what stands for a hash is made
    const asked = [1, 2, 3].map(() => passwords.matches('secret', null));
    await new Promise(setImmediate);
    expect(passwords.waiting).toBe(2);
    expect(await Promise.all(asked)).toEqual([false, false, false]);
  });

  it('is of the cost that is set', async () => {
    expect(await passwordsWith(5).hash('secret')).toMatch(/^hmac-sha384\+bcrypt:\$2b\$05\$/);
  });

  it('lets nobody wait behind a crowd of one user', async () => {
    const passwords = passwordsWith(6);
    await passwords.hash('secret'); // the thread is idle
    const order: string[] = [];
    const hashFor = (asker: string) =>
      asRequest(60_000, () => passwords.hash('secret'), asker).then(() => order.push(asker));
    await Promise.all([...Array(6).fill('crowd'), 'ana', 'bob'].map(hashFor));
    expect(order).toEqual(['crowd', 'crowd', 'ana', 'bob', ...Array(4).fill('crowd')]);
  });

  it('does not tell a request that has changed something that nothing was changed', async () => {
    const passwords = passwordsWith(8);
    await passwords.hash('secret');
    const changing = (time: number) =>
      asRequest(time, () => {
        noteChange();
        return passwords.hash('secret');
      });
    const answers = await Promise.allSettled([60_000, 5, 60_000].map(changing));
    const unknown = { status: 'rejected', reason: unavailable('UNKNOWN', 'OVERLOADED') };
    expect(answers).toEqual([done, unknown, done]);
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
    const passwords = passwordsWith(8);
    const hashWithin = (time: number) => asRequest(time, () => passwords.hash('secret'));
    const asked = [hashWithin(60_000), hashWithin(-1), hashWithin(60_000), hashWithin(-1)];
    expect(await Promise.allSettled(asked)).toEqual([done, refused, done, refused]);
  });

  it('waits for longer than other work, so that a crowd on a busy machine is served to the last', async () => {
    const passwords = passwordsWith(6, { timeouts: { hashing: 60_000 } });
    const asked = Array.from({ length: 10 }, () => asRequest(2, () => passwords.hash('secret')));
    expect(await Promise.allSettled(asked)).toEqual(Array(10).fill(done));
  });

  it.runIf(canTell)('hurries for one at a time, though all may have waited for long', async () => {
    const passwords = passwordsWith(8, { hashThreads: 2, patienceMs: 0 });
    await Promise.all(Array.from({ length: 8 }, () => passwords.hash('secret')));
    expect(nicenesses().filter((niceness) => niceness === 7)).toHaveLength(1);
  });

  it('has room for many, and takes it from whoever has the most of them', async () => {
    const passwords = passwordsWith();
    await passwords.hash('secret'); // the thread is idle
    const outcomes: Record<string, number> = { crowd: 0, ana: 0 };
    const hashFor = (asker: string) =>
      asRequest(60_000, () => passwords.hash('secret'), asker).then(
        () => (outcomes[asker] = (outcomes[asker] ?? 0) + 1),
        () => {},
      );
    await Promise.all([...Array(400).fill('crowd'), ...Array(10).fill('ana')].map(hashFor));
    expect(outcomes).toEqual({ crowd: 291, ana: 10 });
  });

  it('takes none of the time that a request has for statements', async () => {
    const passwords = passwordsWith(12);
    await asRequest(60_000, async () => {
      const [began, left] = [performance.now(), timeLeft()];
      await passwords.hash('secret');
      expect(left - timeLeft()).toBeLessThan((performance.now() - began) / 2);
    });
  });
});
