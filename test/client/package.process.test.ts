import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { parse, print as printed, validate } from 'graphql';
import { publint } from 'publint';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as documents from '../../packages/client/src/documents.js';
import { print } from '../../packages/client/src/print.js';
import { verifyWebhook } from '../../packages/client/src/webhook.js';
import { declaredSchema } from '../../src/app.js';
import { systemNodes } from '../support/nodes.js';

const PACKAGE = 'packages/client';
const manifest = JSON.parse(readFileSync(`${PACKAGE}/package.json`, 'utf8'));

describe('The package steady-client', () => {
  let folder = '';
  let tarball = '';

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'steady-package-'));
    const args = ['pack', path.resolve(PACKAGE), '--pack-destination', folder, '--json', '--ignore-scripts'];
    const [packed] = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', cwd: folder }));
    tarball = path.join(folder, packed.filename);
    execFileSync('tar', ['-xzf', tarball, '-C', folder]);
    mkdirSync(path.join(folder, 'node_modules'));
    cpSync(path.join(folder, 'package'), path.join(folder, 'node_modules/steady-client'), {
      recursive: true,
    });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('needs nothing at run time, and has the version of the service', () => {
    expect(manifest.dependencies).toBeUndefined();
    expect(manifest.version).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version);
    expect(readFileSync(`${PACKAGE}/LICENSE`, 'utf8')).toBe(readFileSync('LICENSE', 'utf8'));
  });

  it('holds what is built, its readme and its licence, and nothing else', () => {
    const files = readdirSync(path.join(folder, 'package')).sort();
    expect(files).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  });

  it('has a readme whose links lead out of nothing that is published', () => {
    const readme = readFileSync(path.join(folder, 'package/README.md'), 'utf8');
    const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
    const relative = links.filter((link) => !URL.canParse(link) && !link.startsWith('#'));
    for (const link of relative)
      expect(existsSync(path.join(folder, 'package', link)) && !link.startsWith('..'), link).toBe(true);
  });

  it('names the oldest Node that has what it calls', () => {
    expect(manifest.engines).toEqual({ node: '>=20.3' }); // AbortSignal.any
  });

  it('is right by publint', async () => {
    const { messages } = await publint({ pkgDir: path.join(folder, 'package'), strict: true, pack: false });
    expect(messages).toEqual([]);
  });

  it('has types that every way of importing finds (attw)', () => {
    const attw = ['node_modules/@arethetypeswrong/cli/dist/index.js', tarball, '--profile', 'esm-only'];
    const { status, stdout, stderr } = spawnSync(process.execPath, attw, { encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
  });

  it('weighs at most 12 kB without the command line', () => {
    const files = new Set<string>();
    const collect = (name: string) => {
      if (files.has(name)) return;
      files.add(name);
      const code = readFileSync(path.join(PACKAGE, 'dist', name), 'utf8');
      for (const [, other = ''] of code.matchAll(/from"\.\/([^"]+)"/g)) collect(other);
    };
    for (const name of ['index.js', 'indexeddb.js', 'file.js']) collect(name);
    expect([...files]).not.toContain('cli.js');
    const bytes = [...files].map((name) => gzipSync(readFileSync(path.join(PACKAGE, 'dist', name))).length);
    expect(bytes.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(12_000);
  });

  it('asks Node for nothing in what a browser loads', () => {
    for (const entry of ['index.js', 'indexeddb.js']) {
      const code = readFileSync(path.join(PACKAGE, 'dist', entry), 'utf8');
      const files = [entry, ...[...code.matchAll(/from"\.\/([^"]+)"/g)].map(([, name = '']) => name)];
      for (const file of files)
        expect(readFileSync(path.join(PACKAGE, 'dist', file), 'utf8')).not.toMatch(
          /node:|\bprocess\b|\bBuffer\b/,
        );
    }
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
    const usage = spawnSync(node, ['node_modules/steady-client/dist/cli.js', '--help'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect([usage.status, usage.stdout]).toEqual([0, expect.stringContaining('Usage: steady COMMAND')]);
  });

  it('has types for who uses it, with documents as code generators make them', () => {
    const source = `
      import { createClient, type Tap, type Today } from 'steady-client';
      import { fileStorage } from 'steady-client/file';
      import { indexedDbStorage } from 'steady-client/indexeddb';
      interface Node { kind: 'Document'; definitions: readonly object[] }
      declare const document: Node & { __apiType?: (variables: { id: string }) => { task: { title: string } | null } };
      declare const plain: Node & { __apiType?: (variables: { [key: string]: never }) => { me: { id: string } } };
      const steady = createClient({ url: '', storage: globalThis.indexedDB ? indexedDbStorage() : fileStorage('x') });
      const { task } = await steady.request(document, { id: '1' });
      const title: string | undefined = task?.title;
      const { me } = await steady.request(plain);
      const id: string = me.id;
      const tap: Tap = await steady.complete(id, { amount: 1 });
      const today: Today = await steady.today();
      const step: number | null | undefined = today.habits[0]?.step;
      for await (const { number, kind } of steady.events({ after: 1 })) console.log(number.toFixed(), kind, tap, today, title, step);
      // @ts-expect-error a variable is missing
      await steady.request(document);
      // @ts-expect-error of another type
      await steady.request(document, { id: 1 });
      export {};`;
    writeFileSync(path.join(folder, 'script.mts'), source);
    for (const [module, moduleResolution] of [
      ['nodenext', 'nodenext'],
      ['esnext', 'bundler'],
    ]) {
      const settings = [
        '--strict',
        '--noEmit',
        '--target',
        'es2022',
        '--lib',
        'es2023,dom,dom.iterable',
        '--types',
        '',
      ];
      const tsc = [
        path.resolve('node_modules/typescript/bin/tsc'),
        ...settings,
        '--module',
        module ?? '',
        '--moduleResolution',
        moduleResolution ?? '',
        'script.mts',
      ];
      const { status, stdout } = spawnSync(process.execPath, tsc, { cwd: folder, encoding: 'utf8' });
      expect([status, stdout]).toEqual([0, '']);
    }
  });
});

describe('A document', () => {
  const known = Object.entries(documents).filter(([name]) => !/EVENT|WATCH/.test(name));

  it.each(known)('asks what the schema offers: %s', (_name, text) => {
    expect(validate(declaredSchema(), parse(text))).toEqual([]);
  });

  it('is written as graphql itself would', () => {
    const text = `query Q($a: [Int!]! = [1, 2], $b: In = {c: "d\\n\\"e\\"", f: null}) @live(if: true) {
      other: tasks(first: 3, x: -1.5, e: ENUM, l: [$a], o: {a: {b: false}}) @include(if: $b) { ...F @skip(if: false) ... on Task { id } ... { title } }
    } fragment F on Task @x { id } subscription { a } mutation { b(text: """
      block "quoted"
    """) }`;
    const document = parse(text);
    expect(printed(parse(print(document)))).toBe(
      printed(document).replace(/"""\n\s*(block "quoted")\n\s*"""/, '"block \\"quoted\\""'),
    );
  });
});

describe('A webhook', () => {
  const secret = `whsec_${Buffer.from('a secret of thirty-two characters').toString('base64')}`;
  const event = {
    type: 'completion.recorded',
    timestamp: '2026-11-21T12:00:00Z',
    data: { number: 17, task_id: '7' },
  };
  const body = JSON.stringify(event);
  const signed = (at = new Date(), text = body) => ({
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', at, text),
  });

  it('that the library of the standard has signed is verified, however its headers come', async () => {
    const headers = signed();
    expect(await verifyWebhook({ secret, headers, body })).toEqual(event);
    expect(await verifyWebhook({ secret, headers: new Headers(headers), body })).toEqual(event);
    expect(await verifyWebhook({ secret, headers, body: new TextEncoder().encode(body) })).toEqual(event);
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
    );
    expect(await verifyWebhook({ secret: secret.replace('whsec_', ''), headers: upper, body })).toEqual(
      event,
    );
    const rotated = {
      ...headers,
      'webhook-signature': `v1,bm90IG91cnM= v2,x ${headers['webhook-signature']}`,
    };
    expect(await verifyWebhook({ secret, headers: rotated, body })).toEqual(event);
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
