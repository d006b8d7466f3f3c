import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '../../src/database/database.js';
import { built } from '../built.ts';
import { insertUsers } from './crowd.ts';
import { DEMO, demoDocument } from './demo.ts';

const { systemClock } = await built<typeof import('../../src/base/clock.js')>('base/clock.js');
const { readConfig } = await built<typeof import('../../src/features/settings.js')>('features/settings.js');
const { Passwords } = await built<typeof import('../../src/base/passwords/passwords.js')>(
  'base/passwords/passwords.js',
);
const { insertAccount, newAccount } = await built<typeof import('../../src/features/account/new-account.js')>(
  'features/account/new-account.js',
);
const { Zones } =
  await built<typeof import('../../src/features/account/zones.js')>('features/account/zones.js');
const { TemplateService } = await built<typeof import('../../src/features/challenges/template.service.js')>(
  'features/challenges/template.service.js',
);
const { ImportService } = await built<typeof import('../../src/features/export-import/import.service.js')>(
  'features/export-import/import.service.js',
);
const { carried } = await built<typeof import('../../src/features.js')>('features.js');
const { argumentsOf, UsageError } = await built<typeof import('../../src/base/commands/arguments.js')>(
  'base/commands/arguments.js',
);
const { onDatabase } = await built<typeof import('../../src/operation/commands/command.js')>(
  'operation/commands/command.js',
);
const { inWords, progressLines } =
  await built<typeof import('../../src/base/commands/report.js')>('base/commands/report.js');

const HELP = `npm run seed -- [--users N] [--tasks T] [--completions C] | --demo [--yes]

Adds N made-up users, each with T tasks and C completions, and prints a log-in: all of one run share
a password. Without numbers: 100 users, 5 tasks, 100 completions. With --demo: one person with a year of
ten habits of all kinds, to try out, who logs in as ${DEMO.email} with the password ${DEMO.password}.

--users N        how many users
--tasks T        how many tasks each has
--completions C  how many completions each has
--demo           one person, and no numbers
--yes            also where NODE_ENV is production

Examples:
  npm run seed
  npm run seed -- --users=1000 --tasks=10 --completions=365
  npm run seed -- --demo

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
  await database.transaction((tx) => insertAccount(tx.getKysely(), account));
  const imports = new ImportService(
    database,
    systemClock,
    new Zones(database),
    new TemplateService(database),
    carried,
  );
  const made = await imports.run(account.id, Buffer.from(JSON.stringify(document)), 'empty');
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
