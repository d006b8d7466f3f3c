import { once } from 'node:events';
import { AccountNameInput, NewAccountInput } from '../accounts/administration.input.js';
import { AdministrationService, type ListedAccount } from '../accounts/administration.service.js';
import { Passwords } from '../accounts/passwords.js';
import { rememberIn } from '../backup/tombstones.js';
import { systemClock } from '../clock.js';
import { readConfig } from '../config.js';
import type { Database } from '../database/database.js';
import { inputFrom } from '../validation/gate.js';
import { printedHelp, UsageError, words } from './arguments.js';
import { onDatabase } from './command.js';

const HELP = `npm run users -- list [--json] | create E-MAIL --name NAME | reset-password E-MAIL | delete E-MAIL --yes

Accounts, for the operator. On a server database the service may run; an embedded one must be free.

list            every account on a line of its own: e-mail address, name, created on, last active on, id
  --json        as a JSON array
create          makes an account, also where SIGN_UP is closed, and prints its password, once
reset-password  gives an account a new password, and prints it, once; tokens stay valid
delete          deletes an account and everything in it, for good; without --yes it only says so

Exit code 0 when it is done, 1 when nothing was: the arguments are wrong, the e-mail address is in use
or unknown, or the database cannot be opened.`;

const FORMS = {
  list: { flags: ['json'] },
  create: { operands: ['E-MAIL'], known: ['name'] },
  'reset-password': { operands: ['E-MAIL'] },
  delete: { operands: ['E-MAIL'], flags: ['yes'] },
};

function readRequest() {
  const { word, operands, given } = words(FORMS);
  const [email = ''] = operands;
  if (word === 'list') return { word, isJson: given.json === true } as const;
  if (word === 'reset-password') return { word, ...inputFrom(AccountNameInput, { email }) } as const;
  if (word === 'delete') {
    if (!given.yes) throw new UsageError('This deletes the account for good: add --yes to mean it');
    return { word, ...inputFrom(AccountNameInput, { email }) } as const;
  }
  if (given.name === undefined) throw new UsageError('--name is missing');
  return { word, person: inputFrom(NewAccountInput, { email, name: given.name }) } as const;
}

async function say(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

const day = (instant: Date) => instant.toISOString().slice(0, 10);

/** On one line, whatever a name holds: line breaks and tabs would make others of it. */
const inWords = ({ email, name, createdAt, lastActiveOn, id }: ListedAccount) =>
  [email, name, day(createdAt), lastActiveOn ?? 'never', id].map(onOneLine).join('\t');

const onOneLine = (text: string) => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, ' ');

async function list(administration: AdministrationService, isJson: boolean): Promise<void> {
  let before = isJson ? '[\n' : '';
  const between = isJson ? ',\n' : '\n';
  for await (const accounts of administration.list()) {
    await say(before + accounts.map(isJson ? (each) => JSON.stringify(each) : inWords).join(between));
    before = between;
  }
  if (isJson) await say(before === between ? '\n]\n' : '[]\n');
  else await say(before);
}

async function users(database: Database, request: ReturnType<typeof readRequest>): Promise<number> {
  const passwords = new Passwords({ ...readConfig(), hashWorkers: request.word === 'list' ? 0 : 1 });
  const administration = new AdministrationService(
    database,
    systemClock,
    passwords,
    rememberIn(readConfig(), console.error),
  );
  try {
    if (request.word === 'list') {
      await list(administration, request.isJson);
    } else if (request.word === 'create') {
      const password = await administration.create(request.person);
      console.log(`Made the account ${request.person.email} with the password ${password}`);
    } else if (request.word === 'delete') {
      const { id, deletedAt } = await administration.delete(request.email);
      console.log(`Deleted the account ${id} at ${deletedAt.toISOString()}`);
    } else {
      console.log(
        `The new password of ${request.email} is ${await administration.resetPassword(request.email)}`,
      );
    }
  } finally {
    await passwords.close();
  }
  return 0;
}

// `npm run users -- list | head` has read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

if (!printedHelp(HELP)) await onDatabase(readRequest, users);
