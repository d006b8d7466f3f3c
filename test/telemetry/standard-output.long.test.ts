import { execFileSync, spawn } from 'node:child_process';
import { constants, openSync, readSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createLog, standardOutput } from '../../src/telemetry/log.js';
import { eventually } from '../support/eventually.js';
import { temporaryFolder } from '../support/process.js';

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** What the system keeps for a reader; beyond that, a pipe takes nothing. */
const OF_A_PIPE = 65_536;

function pipe() {
  const file = `${temporaryFolder()}.pipe`;
  execFileSync('mkfifo', [file]);
  const reader = openSync(file, O_RDONLY | O_NONBLOCK);
  const decoder = new TextDecoder();
  const read = () => {
    const piece = Buffer.alloc(OF_A_PIPE);
    try {
      return decoder.decode(piece.subarray(0, readSync(reader, piece)), { stream: true });
    } catch {
      return ''; // nothing is there
    }
  };
  return { writer: openSync(file, O_WRONLY | O_NONBLOCK), read };
}

const messagesIn = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).msg as string);

describe.skipIf(process.platform === 'win32')('Standard output', () => {
  it('that nobody reads keeps nobody waiting, and is told later how much was left out', async () => {
    const { writer, read } = pipe();
    const log = createLog({ logLevel: 'info' }, standardOutput(writer));
    const count = 300; // of 70 kB: some 20 MB
    for (let number = 0; number < count; number += 1) log.info(`${number} ${'x'.repeat(70_000)}`);
    let text = '';
    await eventually(() => {
      for (let piece = read(); piece !== ''; piece = read()) text += piece;
      return text.includes('left out');
    });
    const messages = messagesIn(text);
    const kept = messages.length - 1;
    expect(messages.map((message) => message.split(' ')[0])).toEqual([
      ...Array.from({ length: kept }, (_, number) => `${number}`),
      `${count - kept}`,
    ]);
    expect(messages.at(-1)).toBe(`${count - kept} lines were left out: nobody had read those before them`);
    expect(text.length).toBeLessThan(2 * 1_024 * 1_024);
  });

  it('that several processes share has whole lines, however slowly it is read', async () => {
    const { writer, read } = pipe();
    const script = `
      import { createLog } from './dist/modules/src/telemetry/log.js';
      const log = createLog({ logLevel: 'info' });
      const told = 'é'.repeat(150);
      for (let turn = 0; turn < 100; turn += 1) {
        for (let number = 0; number < 10; number += 1) log.info(told);
        await new Promise((resolve) => setImmediate(resolve));
      }
      process.exit(0);`;
    const ended = [1, 2, 3].map((_) => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', writer, 'inherit'],
      });
      return new Promise((resolve) => child.once('exit', resolve));
    });
    let isOver = false;
    Promise.all(ended).then(() => {
      isOver = true;
    });
    let text = '';
    await eventually(() => {
      const piece = read();
      text += piece;
      return isOver && piece === '';
    });
    expect(new Set(messagesIn(text))).toEqual(new Set(['é'.repeat(150)]));
    expect(messagesIn(text)).toHaveLength(3_000);
  });
});
