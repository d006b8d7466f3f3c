import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { insertAccount, newAccount, refuseTakenEmail } from '../accounts/new-account.js';
import { Passwords } from '../accounts/passwords.js';
import { TemplateService } from '../challenges/template.service.js';
import { systemClock } from '../clock.js';
import { readConfig } from '../config.js';
import type { Database } from '../database/database.js';
import { ImportService } from '../takeout/import.service.js';
import { argumentsOf, UsageError } from './arguments.js';
import { onDatabase } from './command.js';
import { inWords, progressLines } from './report.js';
import { DEMO, demoDocument } from './seed.demo.js';
import { insertUsers } from './seed.queries.js';

const HELP = `npm run db:seed -- [--users N] [--tasks T] [--completions C] | --demo [--yes]

Adds N made-up users, each with T tasks and C completions, and prints a log-in: all of one run share
a password. Without numbers: 100 users, 5 tasks, 100 completions. With --demo: one person with a year of
ten habits of all kinds, to try out, who logs in as ${DEMO.email} with the password ${DEMO.password}.

--users N        how many users
--tasks T        how many tasks each has
--completions C  how many completions each has
--demo           one person, and no numbers
--yes            also where NODE_ENV is production

Examples:
  npm run db:seed
  npm run db:seed -- --users=1000 --tasks=10 --completions=365
  npm run db:seed -- --demo

Exit codes:
  0  the users are there
  1  the database or an argument is at fault, and a line says which; some of the users may be there`;

/** One statement per chunk: at most this many rows, or users, so that the smallest database can cope. */
const CHUNK = { rows: 50_000, users: 5_000 };

function numbersIn() {
  const number = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const { yes, demo, ...given } = argumentsOf({
    options: { users: number, tasks: number, completions: number, demo: flag, yes: flag },
  }).values;
  if (demo && Object.keys(given).length > 0) throw new UsageError('--demo goes with no numbers');
  const whole = (name: keyof typeof given, fallback: number, min: number, max: number) => {
    const text = given[name] ?? String(fallback);
    if (/^\d{1,9}$/.test(text) && +text >= min && +text <= max) return +text;
    throw new UsageError(`--${name} must be a whole number from ${min} to ${max}, and is "${text}"`);
  };
  const numbers = {
    users: whole('users', 100, 1, 100_000_000),
    tasks: whole('tasks', 5, 0, 1_000),
    completions: whole('completions', 100, 0, 10_000),
  };
  if (numbers.completions > 0 && numbers.tasks === 0) {
    throw new UsageError('--completions needs tasks to complete: --tasks must be at least 1');
  }
  if (!yes && readConfig().production) {
    throw new UsageError('NODE_ENV is production, where made-up users are not wanted: add --yes to mean it');
  }
  return { ...numbers, isDemo: demo === true };
}

type Numbers = ReturnType<typeof numbersIn>;

async function hashOf(password: string): Promise<string> {
  const passwords = new Passwords({ ...readConfig(), hashThreads: 1 });
  return passwords.hash(password).finally(() => passwords.close());
}

const count = (number: number, what: string) => `${inWords(number)} ${what}`;

/** Everything that is counted follows from the history, as when any export is imported. */
async function seedDemo(database: Database): Promise<number> {
  const now = systemClock.now();
  const document = demoDocument(now);
  const account = newAccount(
    DEMO,
    await hashOf(DEMO.password),
    new Date(document.tasks[0]?.createdAt ?? now),
  );
  await database.transaction((tx) => insertAccount(tx, account)).catch(refuseTakenEmail);
  const imports = new ImportService(database, systemClock, new TemplateService(database));
  const made = await imports.run(account.id, Buffer.from(JSON.stringify(document)));
  console.log(`Added 1 user, ${count(made.tasks, 'tasks')}, ${count(made.completions, 'completions')}.`);
  console.log(`Log in as ${DEMO.email} with the password ${DEMO.password}`);
  return 0;
}

async function seed(database: Database, numbers: Numbers): Promise<number> {
  const { users, tasks, completions, isDemo } = numbers;
  if (isDemo) return seedDemo(database);
  const startedAt = performance.now();
  const seconds = () => `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
  const password = randomBytes(9).toString('base64url');
  const crowd = {
    ...{ tasks, completions },
    tag: randomBytes(4).toString('hex'),
    passwordHash: await hashOf(password),
    now: systemClock.now(),
  };
  const step = Math.min(CHUNK.users, Math.ceil(CHUNK.rows / (2 + tasks + completions)));
  let email: string | undefined;
  const tell = progressLines();
  for (let from = 1; from <= users; from += step) {
    const to = Math.min(users, from + step - 1);
    const first = await insertUsers(database.query(), crowd, { from, to });
    email ??= first;
    tell(() => `${inWords(to)} of ${count(users, 'users')} after ${seconds()}`);
  }
  await sql`vacuum analyze users, user_progress, tasks, task_completions`.execute(database.query());
  const made = [
    count(users, 'users'),
    count(users * tasks, 'tasks'),
    count(users * completions, 'completions'),
  ];
  console.log(`Added ${made.join(', ')} in ${seconds()}.`);
  console.log(`Log in as ${email} with the password ${password}`);
  return 0;
}

await onDatabase(HELP, numbersIn, seed);
