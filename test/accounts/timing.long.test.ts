import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { Passwords } from '../../src/base/passwords/passwords.js';
import { AccountService } from '../../src/features/account/account.service.js';
import { Callers } from '../../src/features/account/callers.js';
import { LoginLimit } from '../../src/features/account/login-limit.js';
import { Tokens } from '../../src/features/account/tokens.js';
import { dataDirectory, openEmbedded } from '../support/process.js';

const PAIRS = Number(process.env.TEST_PAIRS ?? 400);

/** In milliseconds. */
const BOUND = 2;

/** A hash of this cost takes several times the bound; at 10, as in production, the test takes a minute. */
const COST = Number(process.env.TEST_HASH_COST ?? 7);

function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
}

const odd = (values: number[]) => values.filter((_, index) => index % 2 === 1);
const even = (values: number[]) => values.filter((_, index) => index % 2 === 0);

async function accounts() {
  const database = await openEmbedded(dataDirectory());
  const passwords = new Passwords({ hashThreads: 1, hashCost: COST });
  onTestFinished(async () => {
    await passwords.close();
    await database.close();
  });
  const unlimited = { loginAttemptsPerAccount: 1e6, loginAttemptsPerAddress: 1e6 };
  const limit = new LoginLimit(database, systemClock, unlimited);
  const tokens = new Tokens('a secret of the tests, of more than 32 characters', systemClock);
  const known = new Callers(database, systemClock, tokens, 60_000);
  return new AccountService(database, systemClock, passwords, tokens, known, limit, {
    signUp: 'open',
    deletionTime: 0,
  });
}

it(`An unknown e-mail takes as long as a wrong password, in ${PAIRS} pairs`, async () => {
  const service = await accounts();
  const email = () => `${randomUUID()}@example.com`;
  const known = email();
  await service.signUp({ name: 'Ana', email: known, password: 'secret1' }, '10.0.0.1');
  const timeOf = async (address: string) => {
    const start = performance.now();
    await expect(service.logIn({ email: address, password: 'secret2' }, '10.0.0.1')).rejects.toThrow(
      'Invalid email or password',
    );
    return performance.now() - start;
  };

  const ofKnown: number[] = [];
  const ofUnknown: number[] = [];
  for (let pair = -20; pair < PAIRS; pair += 1) {
    const isKnownFirst = Math.random() < 0.5;
    for (const isKnown of [isKnownFirst, !isKnownFirst]) {
      const time = await timeOf(isKnown ? known : email());
      if (pair >= 0) (isKnown ? ofKnown : ofUnknown).push(time);
    }
  }
  const [wrong, unknown] = [median(ofKnown), median(ofUnknown)];
  // How far apart two halves of the same log-ins lie by chance: others may keep the machine busy.
  const chance = Math.max(
    ...[ofKnown, ofUnknown].map((times) => Math.abs(median(odd(times)) - median(even(times)))),
  );
  const figures = `wrong password ${wrong.toFixed(2)} ms, unknown e-mail ${unknown.toFixed(2)} ms, by chance ${chance.toFixed(2)} ms`;
  if (process.env.TEST_LOG) console.log(figures);
  expect(Math.abs(wrong - unknown), figures).toBeLessThanOrEqual(BOUND + 2 * chance);
}, 900_000);
