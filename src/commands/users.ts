import { once } from 'node:events';
import { AccountNameInput, NewAccountInput } from '../accounts/administration.input.js';
import { AdministrationService, type ListedAccount } from '../accounts/administration.service.js';
import { Passwords } from '../accounts/passwords.js';
import { rememberIn } from '../backup/tombstones.js';
import { systemClock } from '../clock.js';
import { readConfig } from '../config.js';
import type { Database } from '../database/database.js';
import { inputFrom } from '../validation.js';
import { onDatabase } from './command.js';
import type { Declaration, Given } from './usage/declaration.js';

const E_MAIL = { 'E-MAIL': 'of the account' } as const;

const USERS = {
  script: 'users',
  does: 'Accounts, for the operator. On a server database the service may run; an embedded one must be free.',
  words: {
    list: {
      says: 'every account on a line of its own: e-mail address, name, created on, last active on, id',
      options: { json: { says: 'as a JSON array' } },
    },
    create: {
      says: 'makes an account, also where SIGN_UP is closed, and prints its password, once',
      operands: E_MAIL,
      options: { name: { value: 'NAME', says: 'what it is called', required: '--name is missing' } },
    },
    'reset-password': {
      says: 'gives an account a new password, and prints it, once; tokens stay valid',
      operands: E_MAIL,
    },
    delete: {
      says: 'deletes an account and everything in it, for good',
      operands: E_MAIL,
      options: {
        yes: {
          says: 'means it',
          required: 'This deletes the account for good: add --yes to mean it',
        },
      },
    },
  },
  examples: ['list --json', 'create ana@example.com --name Ana', 'delete ana@example.com --yes'],
  exits: {
    0: 'it is done',
    1: `nothing was: the arguments are wrong, the e-mail address is in use or unknown, or the database
     cannot be opened`,
  },
} as const satisfies Declaration;

function requestIn(said: Given<typeof USERS>) {
  const [email = ''] = said.operands;
  if (said.word === 'list') return { word: said.word, isJson: said.given.json } as const;
  if (said.word === 'create') {
    const person = inputFrom(NewAccountInput, { email, name: said.given.name });
    return { word: said.word, person } as const;
  }
  return { word: said.word, ...inputFrom(AccountNameInput, { email }) } as const;
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

async function users(database: Database, request: ReturnType<typeof requestIn>): Promise<number> {
  const passwords = new Passwords({ ...readConfig(), hashThreads: request.word === 'list' ? 0 : 1 });
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

await onDatabase(USERS, requestIn, users);
