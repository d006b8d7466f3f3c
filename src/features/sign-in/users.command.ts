import { once } from 'node:events';
import { argumentsOf, subcommandOf, UsageError } from '../../base/commands/arguments.js';
import { toTheMinute } from '../../base/commands/report.js';
import { Passwords } from '../../base/passwords/passwords.js';
import { inputFrom } from '../../base/validation.js';
import { commandOf, type Tools } from '../../feature.js';
import { AccountNameInput, NewAccountInput } from '../account/administration.input.js';
import { AdministrationService, type ListedAccount } from '../account/administration.service.js';
import { printedResetLink } from './reset-link.js';

const HELP = `steady users list [--filter TEXT] [--json] | create E-MAIL --name NAME | reset-link E-MAIL | reset-password E-MAIL | sign-out E-MAIL | suspend E-MAIL | resume E-MAIL | delete E-MAIL --yes

Accounts, for the operator. The service may run.

list            every account on a line of its own: e-mail address, name, created on, last active on, id,
                and since when it is suspended
  --filter TEXT only those with this in their address or name
  --json        as a JSON array
create          makes an account, also where SIGN_UP is closed, and prints its password, once
  --name NAME   what it is called
reset-link      prints a link with which somebody chooses a new password: it works once, and for 24 hours; it
                ends all earlier links
reset-password  gives an account a new password, and prints it, once; ends its sessions, API tokens
                and reset links
sign-out        ends all sessions of an account; its API tokens stay valid
suspend         refuses the sessions, tokens and links of an account, and lets nothing of it ring; nothing
                is lost
resume          takes that back: what was good before is good again
delete          deletes an account and everything in it, for good
  --yes         means it

Examples:
  steady users list --json
  steady users create ana@example.com --name Ana
  steady users reset-link ana@example.com
  steady users list --filter example.com
  steady users sign-out ana@example.com
  steady users suspend ana@example.com

Exit codes:
  0  it is done
  1  nothing was: the arguments are wrong, the e-mail address is in use or unknown, or the database
     cannot be opened`;

const WORDS = [
  'list',
  'create',
  'reset-link',
  'reset-password',
  'sign-out',
  'suspend',
  'resume',
  'delete',
] as const;

function requestIn() {
  const { word, args } = subcommandOf(WORDS);
  if (word === 'list') {
    const options = { filter: { type: 'string' }, json: { type: 'boolean' } } as const;
    const { filter, json } = argumentsOf({ options }, args).values;
    return { word, filter, isJson: json === true } as const;
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
const inWords = ({ email, name, createdAt, lastActiveOn, id, suspendedAt }: ListedAccount) =>
  [
    ...[email, name, day(createdAt), lastActiveOn ?? 'never', id],
    ...(suspendedAt ? [`suspended ${day(suspendedAt)}`] : []),
  ]
    .map(onOneLine)
    .join('\t');

const onOneLine = (text: string) => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, ' ');

async function list(
  administration: AdministrationService,
  { filter, isJson }: { filter: string | undefined; isJson: boolean },
): Promise<void> {
  let before = isJson ? '[\n' : '';
  const between = isJson ? ',\n' : '\n';
  for await (const accounts of administration.list(filter)) {
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
  if (request.word === 'list') return list(administration, request);
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
  if (word === 'suspend') {
    const isDone = await administration.suspend(email);
    return console.log(
      isDone
        ? `Suspended ${email}: nothing is lost, and resume takes it back`
        : `${email} is suspended already`,
    );
  }
  if (word === 'resume') {
    const isDone = await administration.resume(email);
    return console.log(isDone ? `${email} is let in again` : `${email} is not suspended`);
  }
  console.log(`The new password of ${email} is ${await administration.resetPassword(email)}`);
}

async function printResetLink({ config, clock, database }: Tools, email: string): Promise<void> {
  const { port, publicUrl } = config;
  const base = publicUrl ?? `http://localhost:${port}`;
  const { link, expiresAt } = await printedResetLink(database, clock, { email, publicUrl: base });
  console.log(`Until ${toTheMinute(expiresAt)}, ${email} can choose a new password at`);
  console.log(link);
  if (publicUrl === undefined)
    console.error(
      `${base} is a guess, and opens on this machine only: set PUBLIC_URL to the address that people open.`,
    );
}

async function users(tools: Tools, request: ReturnType<typeof requestIn>): Promise<number> {
  const { config, clock, database, remember } = tools;
  if (request.word === 'reset-link') {
    await printResetLink(tools, request.email);
    return 0;
  }
  const passwords = new Passwords({
    ...config,
    hashThreads: ['create', 'reset-password'].includes(request.word) ? 1 : 0,
  });
  const administration = new AdministrationService(database, clock, passwords, remember);
  await carryOut(administration, request).finally(() => passwords.close());
  return 0;
}

// `steady users list | head` has read enough.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1));

export const command = commandOf(HELP, requestIn, users);
