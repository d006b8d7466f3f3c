#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { SteadyError } from '../errors.js';
import {
  type Command,
  done,
  exportTo,
  login,
  type Options,
  type Said,
  skip,
  stats,
  today,
  UsageError,
  undo,
  watch,
} from './commands.js';

const USAGE = `Usage: steady COMMAND [--json]

  login --url URL --email ADDRESS   log in; asks for the password, or takes STEADY_PASSWORD
  login --url URL --token TOKEN     the same with an API token
  today                             what the day asks for
  done HABIT [--amount N] [--note TEXT]
  undo                              takes the last one back
  skip HABIT [--note TEXT]          today breaks nothing
  stats [--days N]                  how it went, in the last 30 days
  export FILE                       everything of the account
  watch [--after NUMBER]            events as they come

A habit is its title, how that begins, or its id. The log-in is kept in ~/.config/steady.
Without --amount, done adds the step of a habit that has one. Ends with 0, 1 if it was refused, 2 if it cannot be
understood, 3 if there is no network, or what was done waits: it is sent by the next command.`;

const COMMANDS: Record<string, Command> = {
  ...{ login, today, done, undo, skip, stats, export: exportTo, watch },
};

const TEXT = { type: 'string' } as const;

/** What each takes: how many words at most, and which options. */
const TAKES: Record<string, [words: number, ...options: string[]]> = {
  login: [0, 'url', 'email', 'token'],
  today: [0],
  done: [1, 'amount', 'note'],
  undo: [0],
  skip: [1, 'note'],
  stats: [0, 'days'],
  export: [1],
  watch: [0, 'after'],
};

function read() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        ...{ json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
        ...{ url: TEXT, email: TEXT, token: TEXT, amount: TEXT, note: TEXT, days: TEXT, after: TEXT },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

const isJson = process.argv.includes('--json');

const tell = ({ text, json }: Said) => console.log(isJson ? JSON.stringify(json) : text);

/** The exit code. */
async function run(): Promise<number> {
  const { values, positionals } = read();
  const { json: _, help, ...options } = values;
  const [name = '', ...args] = positionals;
  if (help) {
    console.log(USAGE);
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) throw new UsageError(name ? `There is no command ${name}` : 'Which command?');
  const [words, ...taken] = TAKES[name] ?? [0];
  const unknown = Object.keys(options).find((option) => !taken.includes(option));
  if (unknown) throw new UsageError(`${name} takes no --${unknown}`);
  if (args.length > words) throw new UsageError(`That is one word too many: ${args[words]}`);
  const said = await command(options as Options, args, tell);
  if (said) tell(said);
  if (said?.isWaiting) return 3;
  return said?.isRefused ? 1 : 0;
}

/** For programs one line of JSON, for people a sentence. */
function explain(error: unknown): number {
  const { message } = error as Error;
  if (error instanceof UsageError) {
    console.error(
      isJson ? JSON.stringify({ error: { reason: 'USAGE', message } }) : `${message}\n\n${USAGE}`,
    );
    return 2;
  }
  if (!(error instanceof SteadyError)) {
    console.error(isJson ? JSON.stringify({ error: { reason: 'INTERNAL', message } }) : message);
    return 1;
  }
  const { reason, retryAfter, fields } = error;
  const isAway = reason === 'NO_ANSWER';
  const sentence = isAway ? `The service cannot be reached: ${message}` : message;
  const told = JSON.stringify({ error: { reason, message, retryAfter, fields } });
  console.error(isJson ? told : sentence);
  return isAway ? 3 : 1;
}

process.exitCode = await run().catch(explain);
