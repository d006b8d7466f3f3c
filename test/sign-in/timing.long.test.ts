import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { Passwords } from '../../src/base/passwords/passwords.js';
import { AdministrationService } from '../../src/features/account/administration.service.js';
import { AccountMails } from '../../src/features/sign-in/account-mails.js';
import { MailLimit } from '../../src/features/sign-in/mail-limit.js';
import { dataDirectory, openEmbedded } from '../support/process.js';

const PAIRS = Number(process.env.TEST_PAIRS ?? 400);

/** In milliseconds. */
const BOUND = 2;

function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
}

const half = (values: number[], rest: number) => median(values.filter((_, index) => index % 2 === rest));

it(`A reset for an unknown address is asked for in the time of a known one, in ${PAIRS} pairs`, async () => {
  const database = await openEmbedded(dataDirectory());
  const passwords = new Passwords({ hashThreads: 1, hashCost: 4 });
  onTestFinished(async () => {
    await passwords.close();
    await database.close();
  });
  const administration = new AdministrationService(database, systemClock, passwords);
  const limit = new MailLimit(database, systemClock);
  const mails = new AccountMails(database, systemClock, limit, 'https://habits.example.com', 'a secret');
  const email = () => `${randomUUID()}@example.com`;
  const timeOf = async (asked: string) => {
    const start = performance.now();
    await mails.askToReset(asked, `network of ${asked}`);
    return performance.now() - start;
  };
  const [ofKnown, ofUnknown]: [number[], number[]] = [[], []];
  for (let pair = -20; pair < PAIRS; pair += 1) {
    const known = email();
    await administration.create({ name: 'Ana', email: known });
    const isKnownFirst = Math.random() < 0.5;
    for (const isKnown of [isKnownFirst, !isKnownFirst]) {
      const time = await timeOf(isKnown ? known : email());
      if (pair >= 0) (isKnown ? ofKnown : ofUnknown).push(time);
    }
  }
  // How far apart two halves of the same requests lie by chance: others may keep the machine busy.
  const chance = Math.max(...[ofKnown, ofUnknown].map((times) => Math.abs(half(times, 0) - half(times, 1))));
  const [known, unknown] = [median(ofKnown), median(ofUnknown)];
  const figures = `known ${known.toFixed(2)} ms, unknown ${unknown.toFixed(2)} ms, by chance ${chance.toFixed(2)} ms`;
  if (process.env.TEST_LOG) console.log(figures);
  expect(Math.abs(known - unknown), figures).toBeLessThanOrEqual(BOUND + 2 * chance);
}, 900_000);
