import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { streamOf } from '../support/live.js';
import { freePort } from '../support/port.js';
import { launch, ServiceProcess } from '../support/process.js';
import { needs } from '../support/tools.js';
import { transports } from '../support/transports.js';
import { RestClient, signUp, type TestUser } from '../support/world.js';

interface Example {
  program: 'nginx' | 'caddy';
  file: string;
  /** The example with ports of the test, and without TLS, and the arguments that start it. */
  start: (text: string, ports: Record<'proxy' | 'service' | 'redirect', number>, folder: string) => string[];
}

const examples: Example[] = [
  {
    program: 'nginx',
    file: 'examples/nginx/steady.conf',
    start: (text, { proxy, service, redirect }, folder) => {
      const server = text
        .replace(/listen 443 ssl http2;.*$/m, `listen 127.0.0.1:${proxy};`)
        .replace('listen 80', `listen 127.0.0.1:${redirect}`)
        .replace('127.0.0.1:3000', `127.0.0.1:${service}`)
        .replaceAll(/^\s+ssl_.*$/gm, '');
      const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (each) => `${each}_temp_path ${folder};`,
      );
      const whole = `pid ${folder}/pid; error_log stderr; daemon off; events {}
        http { access_log off; ${places.join(' ')} ${server} }`;
      writeFileSync(path.join(folder, 'nginx.conf'), whole);
      return ['-c', path.join(folder, 'nginx.conf')];
    },
  },
  {
    program: 'caddy',
    file: 'examples/caddy/Caddyfile',
    start: (text, { proxy, service }, folder) => {
      const site = text
        .replace('habits.example.com {', `http://127.0.0.1:${proxy} {`)
        .replace('127.0.0.1:3000', `127.0.0.1:${service}`);
      const file = path.join(folder, 'Caddyfile');
      writeFileSync(file, `{\n\tadmin off\n}\n${site}`);
      return ['run', '--adapter', 'caddyfile', '--config', file];
    },
  },
];

/** From another address of this machine. */
const from = (localAddress: string, url: string, method: string, headers: Record<string, string>) =>
  new Promise<number | undefined>((resolve, reject) => {
    const asked = request(url, { method, localAddress, headers, agent: false }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode));
    });
    asked.on('error', reject).end(method === 'POST' ? '{}' : undefined);
  });

describe.each(examples)('Behind $program, as $file has it', ({ program, file, start }) => {
  describe('the service', needs(program), () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'steady-proxy-'));
    let service: ServiceProcess;
    let proxy: ServiceProcess;
    let base: string;
    let plain: string;
    let ana: TestUser;

    beforeAll(async () => {
      const ports = { proxy: await freePort(), service: await freePort(), redirect: await freePort() };
      [base, plain] = [`http://127.0.0.1:${ports.proxy}`, `http://127.0.0.1:${ports.redirect}`];
      const DATA_DIR = path.join(folder, 'data');
      cpSync(inject('dataDirectory'), DATA_DIR, { recursive: true });
      service = launch('dist/src/main.js', { DATA_DIR, PORT: String(ports.service), TRUST_PROXY: '1' });
      await service.listening();
      const args = start(readFileSync(file, 'utf8'), ports, folder);
      proxy = new ServiceProcess(spawn(program, args, { env: { ...process.env, HOME: folder } }));
      const isReady = () =>
        fetch(`${base}/health/ready`).then(
          ({ ok }) => ok,
          () => false,
        );
      await eventually(isReady);
      ana = await signUp(new RestClient(base));
    });

    afterAll(async () => {
      await Promise.all([proxy?.stop(), service?.stop()]);
      rmSync(folder, { recursive: true, force: true });
    });

    it('answers REST, and refuses by itself what is too large', async () => {
      expect(await ana.rest.post('/api/tasks', { title: 'Swim 1 km' })).toMatchObject({ status: 201 });
      const large = await ana.rest.post('/api/tasks', { title: 'x'.repeat(300_000) });
      expect(large).toMatchObject({ status: 413, body: { error: expect.any(String) } });
      const import_ = await ana.rest.post('/account/import', `{"x":"${'x'.repeat(2_000_000)}"}`);
      expect(import_).toMatchObject({ status: 400, body: { error: expect.any(String) } });
    });

    it('answers GraphQL over all transports, and passes the events of a stream on as they come', async () => {
      for (const [, ask] of transports) {
        const asking = { query: '{ me { name } }', authorization: `Bearer ${ana.token}` };
        expect(await ask(base, asking)).toMatchObject({ data: { me: { name: 'Ana' } } });
      }
      const task = await ana.hasTask();
      const stream = await streamOf(ana, 'subscription { progressChanged { kind } }');
      await ana.completes(task);
      expect((await stream.next()).data.progressChanged).toEqual({ kind: 'COMPLETION_RECORDED' });
    });

    it.runIf(program === 'nginx')('limits log-ins from one address, and no others', async () => {
      const url = `${base}/api/auth/login`;
      const logIn = () => from('127.0.0.3', url, 'POST', { 'content-type': 'application/json' });
      const statuses = await Promise.all(Array.from({ length: 60 }, logIn));
      expect(new Set(statuses)).toEqual(new Set([400, 429]));
      expect(await ana.rest.get('/api/tasks/me')).toMatchObject({ status: 200 });
      const { email, password } = ana.account;
      expect(await ana.rest.post('/api/auth/login', { email, password })).toMatchObject({ status: 200 });
    });

    it.runIf(program === 'nginx')('is reached over TLS only', async () => {
      const { status, headers } = await fetch(`${plain}/habits?day=1`, { redirect: 'manual' });
      expect([status, headers.get('location')]).toEqual([301, 'https://127.0.0.1/habits?day=1']);
    });

    it('knows the address of a client, whatever that says', async () => {
      const headers = { 'X-Forwarded-For': '203.0.113.9', 'X-Request-Id': 'from-afar' };
      expect(await from('127.0.0.2', `${base}/api/tasks/me`, 'GET', headers)).toBe(401);
      const lines = () => service.output.split('\n');
      const line = await eventually(() => lines().find((each) => each.includes('from-afar')));
      expect(JSON.parse(`${line}`)).toMatchObject({ address: '127.0.0.2' });
    });
  });
});
