import { readFileSync, statSync } from 'node:fs';
import { AccountNameInput } from '../accounts/administration.input.js';
import { systemClock } from '../clock.js';
import type { Database } from '../database/database.js';
import { loopExportFrom } from '../takeout/loop/habits.js';
import { linesOf } from '../takeout/loop/left.js';
import { type LoopReport, LoopService } from '../takeout/loop/loop.service.js';
import { inputFrom } from '../validation.js';
import { argumentsOf, UsageError } from './arguments.js';
import { onDatabase } from './command.js';
import { inWords } from './report.js';

const HELP = `npm run import -- --loop FILE.zip --user E-MAIL [--dry-run]

Brings the habits of Loop Habit Tracker into an account, all of them or nothing. FILE.zip is what Loop
writes at Settings, "Export as CSV". A habit becomes a task, put away if it was archived; a day on which
it was done becomes a completion of that day in the account's time zone, for the task's points. A habit
whose title a task has already goes to that task. The report has a line for everything that was not
carried over. The same file twice adds nothing, and a later one only what is new.

On a server database the service may run; an embedded one must be free.

--loop FILE.zip  what Loop wrote
--user E-MAIL    of the account
--dry-run        only prints the report: nothing is changed

Examples:
  npm run import -- --loop "Loop Habits CSV.zip" --user ana@example.com --dry-run

Exit codes:
  0  it is done
  1  nothing was: the arguments or the file are wrong, the e-mail address is unknown, or the database
     cannot be opened`;

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
  return { email, isTrial, given: loopExportFrom(contentsOf(loop)) };
}

function report(
  { habits, days, first, last, tasksMade, tasksPutAway, recorded, zone, left }: LoopReport,
  email: string,
): string[] {
  const span = first ? `, from ${first} to ${last}` : '';
  const putAway = tasksPutAway > 0 ? ` (${inWords(tasksPutAway)} put away)` : '';
  return [
    `Habits in the file: ${inWords(habits)}, done on ${inWords(days)} days${span}`,
    `Tasks of ${email}: ${inWords(tasksMade)} made${putAway}, ${inWords(habits - tasksMade)} that were there`,
    `Completions: ${inWords(recorded)} recorded, ${inWords(days - recorded)} that were there; days of ${zone}`,
    'Not carried over:',
    ...linesOf(left).map((line) => `  ${line}`),
  ];
}

async function bringIn(
  database: Database,
  { email, isTrial, given }: ReturnType<typeof requestIn>,
): Promise<number> {
  const done = await new LoopService(database, systemClock).run(email, given, { isTrial });
  console.log(report(done, email).join('\n'));
  if (isTrial) console.log('This was a trial: nothing was changed.');
  return 0;
}

await onDatabase(HELP, requestIn, bringIn);
