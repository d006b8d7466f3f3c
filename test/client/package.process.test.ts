import { execFileSync, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { parse, print as printed } from 'graphql';
import { publint } from 'publint';
import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, it } from 'vitest';
import { print } from '../../packages/client/src/print.js';
import { verifyWebhook } from '../../packages/client/src/webhook.js';
import { systemNodes } from '../support/nodes.js';

const PACKAGE = 'packages/client';

describe('The package steady-client', () => {
  let folder = '';

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'steady-package-'));
    const args = ['pack', path.resolve(PACKAGE), '--pack-destination', folder, '--json', '--ignore-scripts'];
    const [packed] = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', cwd: folder }));
    execFileSync('tar', ['-xzf', path.join(folder, packed.filename), '-C', folder]);
    mkdirSync(path.join(folder, 'node_modules'));
    symlinkSync(path.join(folder, 'package'), path.join(folder, 'node_modules/steady-client'));
    return () => rmSync(folder, { recursive: true, force: true });
  });

  it('holds what is built, its readme and its licence, and is right by publint', async () => {
    const pkgDir = path.join(folder, 'package');
    expect(readdirSync(pkgDir).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
    expect((await publint({ pkgDir, strict: true, pack: false })).messages).toEqual([]);
  });

  it('is at most 12 kB in a browser, where it asks Node for nothing', () => {
    const codes = new Map<string, string>();
    const collect = (name: string) => {
      if (codes.has(name)) return;
      const code = readFileSync(path.join(PACKAGE, 'dist', name), 'utf8');
      codes.set(name, code);
      for (const [, other = ''] of code.matchAll(/from"\.\/([^"]+)"/g)) collect(other);
    };
    for (const name of ['index.js', 'indexeddb.js']) collect(name);
    for (const [name, code] of codes) expect(code, name).not.toMatch(/node:|\bprocess\b|\bBuffer\b/);
    const bytes = [...codes.values()].map((code) => gzipSync(code).length);
    expect(bytes.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(12_000);
  });

  it.each(systemNodes())('runs on Node %s', (_version, node) => {
    const script = `
      import { createClient, memoryStorage, newKey, SteadyError, untilAnswered, verifyWebhook } from 'steady-client';
      import { fileStorage } from 'steady-client/file';
      import { indexedDbStorage } from 'steady-client/indexeddb';
      const steady = createClient({ url: 'http://127.0.0.1:1', token: 'none', storage: fileStorage('kept') });
      const tap = await steady.complete('1', { amount: 2 });
      console.log(tap.state, steady.queue.size, await steady.undo(tap), steady.queue.size);
      const error = await steady.request('{ me { id } }').catch((error) => error);
      console.log(error instanceof SteadyError, error.reason);
      steady.close();`;
    writeFileSync(path.join(folder, 'script.mjs'), script);
    const { stdout, stderr } = spawnSync(node, ['script.mjs'], { cwd: folder, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout).toBe('waiting 1 undone 0\ntrue NO_ANSWER\n');
    const cli = [path.join(folder, 'package/dist/cli.js'), '--help'];
    const usage = spawnSync(node, cli, { encoding: 'utf8' });
    expect([usage.status, usage.stdout]).toEqual([0, expect.stringContaining('Usage: steady COMMAND')]);
  });
});

it('A document is written as graphql itself would', () => {
  const text = `query Q($a: [Int!]! = [1, 2], $b: In = {c: "d\\n\\"e\\"", f: null}) @live(if: true) {
    other: tasks(first: 3, x: -1.5, e: ENUM, l: [$a], o: {a: {b: false}}) @include(if: $b) { ...F @skip(if: false) ... on Task { id } ... { title } }
  } fragment F on Task @x { id } subscription { a }`;
  const document = parse(text);
  expect(printed(parse(print(document)))).toBe(printed(document));
});

describe('A webhook', () => {
  const secret = `whsec_${Buffer.from('a secret of thirty-two characters').toString('base64')}`;
  const event = { type: 'completion.recorded', data: { number: 17, task_id: '7' } };
  const body = JSON.stringify(event);
  const signed = (at = new Date()) => ({
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', at, body),
  });

  it('that the library of the standard has signed is verified, however its headers come', async () => {
    const headers = signed();
    const entries = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]);
    const rotated = `v1,bm90IG91cnM= v2,x ${headers['webhook-signature']}`;
    for (const other of [
      {},
      { headers: new Headers(headers) },
      { body: new TextEncoder().encode(body) },
      { headers: Object.fromEntries(entries), secret: secret.replace('whsec_', '') },
      { headers: { ...headers, 'webhook-signature': rotated } },
    ])
      expect(await verifyWebhook({ secret, headers, body, ...other })).toEqual(event);
  });

  it.each([
    ['another body', { body: body.replace('17', '18') }],
    ['another secret', { secret: `whsec_${Buffer.from('another').toString('base64')}` }],
    ['another id', { headers: { ...signed(), 'webhook-id': 'evt_2' } }],
    ['no signature', { headers: { ...signed(), 'webhook-signature': '' } }],
    ['a signature that is none', { headers: { ...signed(), 'webhook-signature': 'v1,=== v1 ,' } }],
    ['a time long ago', { headers: signed(new Date(Date.now() - 400_000)) }],
    ['a time ahead', { headers: signed(new Date(Date.now() + 400_000)) }],
    ['a time that is none', { headers: { ...signed(), 'webhook-timestamp': 'now' } }],
  ])('with %s is refused', async (_name, other) => {
    await expect(verifyWebhook({ secret, headers: signed(), body, ...other })).rejects.toThrow();
  });
});
