import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { isatty } from 'node:tty';
import type pg from 'pg';
import { argumentsOf } from '../../base/commands/arguments.js';
import { readConfig } from '../../features/settings.js';
import { openSession } from '../startup/session.js';
import { carryOut, looking } from './command.js';

const HELP = `steady sql [STATEMENTS]

Carries out SQL on the database of DATABASE_URL, or of DATA_DIR without it: what is given here, else what
the standard input holds. On a terminal it asks: a statement ends with a line that ends with ; and \\q ends
all. The service may run. It is the way to what no other command does: with the rights of the
service, nothing asks whether you mean it, and there is no way back but a backup.

STATEMENTS  one, or several with ; in between: then all of them are carried out, or none

Examples:
  steady sql
  steady sql 'select name, created_at from users'
  steady sql 'insert into restores values (now())'

Exit codes:
  0  all is carried out; from a terminal, whatever came of it
  1  nothing is, and a line says why`;

/** What a statement has brought: its rows below their names, or what it has done. */
function tableOf({ fields, rows, command, rowCount }: pg.QueryArrayResult<(string | null)[]>): string {
  const done = [command, rowCount].filter((part) => part !== null).join(' ');
  if (fields.length === 0) return done;
  const lines = [fields.map(({ name }) => name), ...rows.map((row) => row.map(inCell))];
  const widths = fields.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const [head = '', ...body] = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(' | ')
      .trimEnd(),
  );
  const rule = widths.map((width) => '-'.repeat(width)).join('-+-');
  return [head, rule, ...body, `(${rows.length} ${rows.length === 1 ? 'row' : 'rows'})`].join('\n');
}

/** On one line, and nothing that a terminal would obey. */
const inCell = (value: string | null) =>
  value === null ? 'null' : value.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, ' ');

async function carriedOut(client: pg.Client, statements: string): Promise<void> {
  const results = await client.query<string[]>({ text: statements, rowMode: 'array' });
  for (const result of [results].flat()) console.log(tableOf(result));
}

function complain(error: unknown): void {
  const { severity = 'ERROR', message, detail, hint } = error as pg.DatabaseError;
  console.error([`${severity}: ${message}`, detail, hint].filter(Boolean).join('\n'));
}

const PROMPT = 'steady=> ';

async function ask(client: pg.Client): Promise<void> {
  const lines = createInterface({ input: process.stdin, output: process.stdout, prompt: PROMPT });
  lines.on('SIGINT', () => lines.close());
  let begun = '';
  lines.prompt();
  for await (const line of lines) {
    if (/^\s*(\\q|exit|quit);?\s*$/.test(line)) break;
    begun += `${line}\n`;
    if (/;\s*$/.test(begun)) {
      await carriedOut(client, begun).catch(complain);
      begun = '';
    }
    lines.setPrompt(begun.trim() ? '     -> ' : PROMPT);
    lines.prompt();
  }
  process.stdin.destroy(); // else it is waited for
}

async function sql(given: string | undefined): Promise<number> {
  const { client, close } = await openSession(readConfig(), looking);
  client.on('notice', ({ message = '' }) => console.error(message));
  try {
    if (given === undefined && isatty(process.stdin.fd)) await ask(client);
    else await carriedOut(client, given ?? (await text(process.stdin)));
    return 0;
  } catch (error) {
    complain(error);
    return 1;
  } finally {
    await close();
  }
}

const requestIn = () =>
  process.argv.length > 2 ? argumentsOf({ operands: ['STATEMENTS'] }).operands[0] : undefined;

await carryOut(HELP, requestIn, sql);
