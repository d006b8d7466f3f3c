import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** What is typed is not shown. */
export async function askSecretly(question: string): Promise<string> {
  process.stderr.write(question);
  const terminal = createInterface({
    input: process.stdin,
    output: new Writable({ write: (_chunk, _encoding, done) => done() }),
    terminal: Boolean(process.stdin.isTTY),
  });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
