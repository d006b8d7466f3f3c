import { readFileSync, statSync } from 'node:fs';
import { type AccountTables, whereEmail } from '../accounts/account.queries.js';
import { noAccount } from '../accounts/account.refusals.js';
import { AccountNameInput } from '../accounts/administration.input.js';
import { TemplateService } from '../challenges/template.service.js';
import { systemClock } from '../clock.js';
import type { Database } from '../database/database.js';
import { Refusal } from '../errors.js';
import { ImportService } from '../takeout/import.service.js';
import { convertLoop } from '../takeout/loop/convert.js';
import { linesOf } from '../takeout/loop/not-imported.js';
import { inputFrom } from '../validation.js';
import { argumentsOf, UsageError } from './arguments.js';
import { onDatabase } from './command.js';
import { inWords } from './report.js';

const HELP = `npm run import -- --loop FILE.zip --user E-MAIL [--dry-run]

Brings the habits of Loop Habit Tracker into an account without tasks, all of them or nothing. FILE.zip
is what Loop writes at Settings, "Export as CSV". A habit becomes a task with its schedule, target and
colour, archived if it was; a day on which it was done becomes a completion of that day, at noon
UTC, with its amount and note; a day that was skipped stays skipped. The report has a line for everything
that was not carried over, or only nearly.

The service may run.

--loop FILE.zip  what Loop wrote
--user E-MAIL    of the account
--dry-run        only prints the report: nothing is changed

Examples:
  npm run import -- --loop "Loop Habits CSV.zip" --user ana@example.com --dry-run

Exit codes:
  0  it is done
  1  nothing was: the arguments or the file are wrong, the e-mail address is unknown, the account
     has tasks, or the database cannot be opened`;

/** In bytes. */
const LARGEST = 16 * 1_024 * 1_024;

function contentsOf(file: string): Buffer {
  try {
    if (statSync(file).size > LARGEST) throw new UsageError(`${file} is larger than ${LARGEST} bytes`);
    return readFileSync(file);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

function requestIn() {
  const { loop, user, ...flags } = argumentsOf({
    options: { loop: { type: 'string' }, user: { type: 'string' }, 'dry-run': { type: 'boolean' } },
  }).values;
  if (loop === undefined) throw new UsageError('--loop is missing');
  if (user === undefined) throw new UsageError('--user is missing');
  const isTrial = flags['dry-run'] === true;
  const { email } = inputFrom(AccountNameInput, { email: user });
  const contents = contentsOf(loop);
  try {
    return { email, isTrial, ...convertLoop(contents, systemClock.now()) };
  } catch (error) {
    throw error instanceof Refusal ? new UsageError(`${loop}: ${error.message}`) : error;
  }
}

type Request = ReturnType<typeof requestIn>;

function report({ email, document: { tasks, completions, skips }, archived, left }: Request): string[] {
  const days = completions.map(({ day }) => day).sort();
  const span = days.length > 0 ? `, from ${days[0]} to ${days.at(-1)}` : '';
  const aside = archived > 0 ? ` (${inWords(archived)} archived)` : '';
  return [
    `Tasks of ${email}: ${inWords(tasks.length)}${aside}`,
    `Completions: ${inWords(days.length)}${span}`,
    ...(skips.length > 0 ? [`Skipped days: ${inWords(skips.length)}`] : []),
    'Not carried over:',
    ...linesOf(left).map((line) => `  ${line}`),
  ];
}

/** The days of the account stay as they are. */
async function daysOf(database: Database, email: string) {
  const found = await database
    .query<AccountTables>()
    .selectFrom('users')
    .innerJoin('user_progress', 'user_id', 'users.id')
    .select(['users.id', 'time_zone as timeZone', 'day_starts_at as dayStartsAt'])
    .where(whereEmail(email))
    .executeTakeFirst();
  if (!found) throw noAccount(email);
  return found;
}

async function bringIn(database: Database, request: Request): Promise<number> {
  const { id, ...account } = await daysOf(database, request.email);
  const imports = new ImportService(database, systemClock, new TemplateService(database));
  const file = Buffer.from(JSON.stringify({ ...request.document, account }));
  await (request.isTrial ? imports.check(id, file) : imports.run(id, file));
  console.log(report(request).join('\n'));
  if (request.isTrial) console.log('This was a trial: nothing was changed.');
  return 0;
}

await onDatabase(HELP, requestIn, bringIn);
