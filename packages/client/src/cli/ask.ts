import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** What is typed is not shown. Null if nothing was: the input has ended. */
export async function askSecretly(question: string): Promise<string | null> {
  process.stderr.write(question);
  const terminal = createInterface({
    input: process.stdin,
    output: new Writable({ write: (_chunk, _encoding, done) => done() }),
    terminal: Boolean(process.stdin.isTTY),
  });
  try {
    return await new Promise((resolve) => {
      terminal.once('line', resolve).once('close', () => resolve(null));
    });
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
