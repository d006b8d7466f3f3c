import { once } from 'node:events';
import { AccountNameInput, NewAccountInput } from '../accounts/administration.input.js';
import { AdministrationService, type ListedAccount } from '../accounts/administration.service.js';
import { Passwords } from '../accounts/passwords.js';
import { rememberIn } from '../backup/tombstones.js';
import { systemClock } from '../clock.js';
import { readConfig } from '../config.js';
import type { Database } from '../database/database.js';
import { printedResetLink } from '../sign-in/reset-link.js';
import { inputFrom } from '../validation.js';
import { argumentsOf, UsageError, wordOf } from './arguments.js';
import { onDatabase } from './command.js';
import { toTheMinute } from './report.js';

const HELP = `npm run users -- list [--json] | create E-MAIL --name NAME | reset-link E-MAIL | reset-password E-MAIL | sign-out E-MAIL | delete E-MAIL --yes

Accounts, for the operator. The service may run.

list            every account on a line of its own: e-mail address, name, created on, last active on, id
  --json        as a JSON array
create          makes an account, also where SIGN_UP is closed, and prints its password, once
  --name NAME   what it is called
reset-link      prints a link with which somebody chooses a new password: it works once, and for 24 hours; it
                ends all earlier links
reset-password  gives an account a new password, and prints it, once; ends its sessions, API tokens
                and reset links
sign-out        ends all sessions of an account; its API tokens stay valid
delete          deletes an account and everything in it, for good
  --yes         means it

Examples:
  npm run users -- list --json
  npm run users -- create ana@example.com --name Ana
  npm run users -- reset-link ana@example.com
  npm run users -- sign-out ana@example.com

Exit codes:
  0  it is done
  1  nothing was: the arguments are wrong, the e-mail address is in use or unknown, or the database
     cannot be opened`;

function requestIn() {
  const { word, args } = wordOf(['list', 'create', 'reset-link', 'reset-password', 'sign-out', 'delete']);
  if (word === 'list') {
    const { json } = argumentsOf({ options: { json: { type: 'boolean' } } }, args).values;
    return { word, isJson: json === true } as const;
  }
  const operands = ['E-MAIL'];
  if (word === 'create') {
    const given = argumentsOf({ operands, options: { name: { type: 'string' } } }, args);
    const { name } = given.values;
    if (name === undefined) throw new UsageError('--name is missing');
    return { word, person: inputFrom(NewAccountInput, { email: given.operands[0], name }) } as const;
  }
  if (word !== 'delete') return { word, email: emailIn(argumentsOf({ operands }, args)) } as const;
  const given = argumentsOf({ operands, options: { yes: { type: 'boolean' } } }, args);
  if (!given.values.yes) throw new UsageError('This deletes the account for good: add --yes to mean it');
  return { word, email: emailIn(given) } as const;
}

const emailIn = ({ operands: [email] }: { operands: string[] }) =>
  inputFrom(AccountNameInput, { email }).email;

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

async function carryOut(
  administration: AdministrationService,
  request: ReturnType<typeof requestIn>,
): Promise<void> {
  if (request.word === 'list') return list(administration, request.isJson);
  if (request.word === 'create') {
    const password = await administration.create(request.person);
    return console.log(`Made the account ${request.person.email} with the password ${password}`);
  }
  const { word, email } = request;
  if (word === 'delete') {
    const { id, deletedAt } = await administration.delete(email);
    return console.log(`Deleted the account ${id} at ${toTheMinute(deletedAt)}`);
  }
  if (word === 'sign-out') {
    const stay = await administration.signOut(email);
    const rest = stay > 0 ? `; ${stay} of its API tokens stay valid, which reset-password ends` : '';
    return console.log(`Ended all sessions of ${email}${rest}`);
  }
  console.log(`The new password of ${email} is ${await administration.resetPassword(email)}`);
}

async function printResetLink(database: Database, email: string): Promise<void> {
  const { port, publicPath, publicUrl } = readConfig();
  const base = publicUrl ?? `http://localhost:${port}${publicPath}`;
  const { link, expiresAt } = await printedResetLink(database, systemClock, { email, publicUrl: base });
  console.log(`Until ${toTheMinute(expiresAt)}, ${email} can choose a new password at`);
  console.log(link);
  if (publicUrl === undefined)
    console.error(
      `${base} is a guess, and opens on this machine only: set PUBLIC_URL to the address that people open.`,
    );
}

async function users(database: Database, request: ReturnType<typeof requestIn>): Promise<number> {
  if (request.word === 'reset-link') {
    await printResetLink(database, request.email);
    return 0;
  }
  const passwords = new Passwords({
    ...readConfig(),
    hashThreads: ['create', 'reset-password'].includes(request.word) ? 1 : 0,
  });
  const remember = rememberIn(readConfig(), console.error);
  const administration = new AdministrationService(database, systemClock, passwords, remember);
  await carryOut(administration, request).finally(() => passwords.close());
  return 0;
}

// `npm run users -- list | head` has read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

await onDatabase(HELP, requestIn, users);
