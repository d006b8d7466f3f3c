import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLog, standardOutput } from '../../src/telemetry/log.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/port.js';
import { dataDirectory, temporaryFolder } from '../support/process.js';
import { SmallDisk } from '../support/small-disk.js';
import { needs } from '../support/tools.js';
import { RestClient } from '../support/world.js';

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** What the system keeps for a reader; beyond that, a pipe takes nothing. */
const OF_A_PIPE = 65_536;

function readerOf(file: string) {
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
  return { read, leave: () => closeSync(reader) };
}

function pipe() {
  const file = `${temporaryFolder()}.pipe`;
  execFileSync('mkfifo', [file]);
  const reader = readerOf(file);
  return { file, writer: openSync(file, O_WRONLY | O_NONBLOCK), ...reader };
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

  it('on a full disk waits for room', needs('leave to mount a disk'), async () => {
    const disk = await SmallDisk.make(1);
    const file = disk.file('log');
    const writer = openSync(file, 'w');
    onTestFinished(() => closeSync(writer));
    disk.fill();
    expect(() => writeSync(writer, 'x')).toThrow('ENOSPC');
    standardOutput(writer).write('one\n');
    for (let turn = 0; turn < 10; turn += 1) await stat(file);
    expect(readFileSync(file, 'utf8')).toBe('');
    disk.empty();
    await eventually(() => readFileSync(file, 'utf8') === 'one\n');
  });

  it('that nobody reads does not keep the service from ending', async () => {
    const PORT = `${await freePort()}`;
    const environment = { PATH: process.env.PATH, PORT, DATA_DIR: dataDirectory(), NODE_ENV: 'development' };
    const service = spawn(process.execPath, ['dist/src/main.js'], {
      env: environment,
      stdio: ['ignore', pipe().writer, 'inherit'],
    });
    onTestFinished(() => void service.kill('SIGKILL'));
    const rest = new RestClient(`http://127.0.0.1:${PORT}`);
    await eventually(() =>
      rest.get('/health/ready').then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
    const long = { 'X-Request-Id': 'x'.repeat(60) };
    for (let count = 0; count < 12; count += 1) {
      await Promise.all(Array.from({ length: 100 }, () => rest.get(`/${'y'.repeat(500)}`, long)));
    }
    service.kill();
    const code = await new Promise((resolve) => service.once('exit', resolve));
    expect(code).toBe(0);
  });
});
