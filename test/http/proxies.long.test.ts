import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/port.js';
import { launch, ServiceProcess } from '../support/process.js';
import { needs } from '../support/tools.js';
import { transports } from '../support/transports.js';
import { RestClient } from '../support/world.js';

interface Example {
  program: 'nginx' | 'caddy';
  file: string;
  /** The example with ports of the test, and without TLS, and the arguments that start it. */
  start: (
    text: string,
    ports: { proxy: number; service: number; redirect: number },
    folder: string,
  ) => string[];
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
      const file = path.join(folder, 'nginx.conf');
      writeFileSync(file, whole);
      return ['-c', file];
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
    let api: RestClient;

    beforeAll(async () => {
      const ports = { proxy: await freePort(), service: await freePort(), redirect: await freePort() };
      plain = `http://127.0.0.1:${ports.redirect}`;
      const DATA_DIR = path.join(folder, 'data');
      cpSync(inject('dataDirectory'), DATA_DIR, { recursive: true });
      const environment = { DATA_DIR, PORT: String(ports.service), TRUST_PROXY: '1' };
      service = launch('dist/src/main.js', environment);
      await service.listening();
      const args = start(readFileSync(file, 'utf8'), ports, folder);
      proxy = new ServiceProcess(spawn(program, args, { env: { ...process.env, HOME: folder } }));
      base = `http://127.0.0.1:${ports.proxy}`;
      await eventually(() =>
        fetch(`${base}/health/ready`).then(
          ({ ok }) => ok,
          () => false,
        ),
      );
      const account = { name: 'Ana', email: 'ana@example.com', password: 'one step a day' };
      const { body } = await new RestClient(base).post('/api/auth/signup', account);
      api = new RestClient(base, body.token);
    });

    afterAll(async () => {
      await Promise.all([proxy?.stop(), service?.stop()]);
      rmSync(folder, { recursive: true, force: true });
    });

    it('answers REST, and refuses by itself what is too large', async () => {
      expect(await api.post('/api/tasks', { title: 'Swim 1 km' })).toMatchObject({ status: 201 });
      const large = await api.post('/api/tasks', { title: 'x'.repeat(300_000) });
      expect(large).toMatchObject({ status: 413, body: { error: expect.any(String) } });
      const import_ = await api.post('/account/import', `{"x":"${'x'.repeat(2_000_000)}"}`);
      expect(import_).toMatchObject({ status: 400, body: { error: expect.any(String) } });
    });

    it.each(transports)('answers GraphQL over %s', async (_, ask) => {
      const result = await ask(base, { query: '{ me { name } }', authorization: `Bearer ${api.token}` });
      expect(result).toMatchObject({ data: { me: { name: 'Ana' } } });
    });

    it('passes the events of a stream on as they come', async () => {
      const stream = await fetch(`${base}/graphql`, {
        method: 'POST',
        headers: {
          accept: 'text/event-stream',
          'content-type': 'application/json',
          authorization: `Bearer ${api.token}`,
        },
        body: JSON.stringify({ query: 'subscription { progressChanged { kind } }' }),
      });
      const { body: task } = await api.post('/api/tasks', { title: 'Read' });
      const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
      await api.post('/api/task-completions', { task_id: task.id });
      let text = '';
      while (!text.includes('COMPLETION_RECORDED')) text += (await reader?.read())?.value;
      await reader?.cancel();
      expect(text).toMatch(/event: next/);
    });

    it.runIf(program === 'nginx')('limits log-ins from one address, and no others', async () => {
      const logIn = () =>
        from('127.0.0.3', `${base}/api/auth/login`, 'POST', { 'content-type': 'application/json' });
      const statuses = await Promise.all(Array.from({ length: 60 }, logIn));
      expect(new Set(statuses)).toEqual(new Set([400, 429]));
      expect(await api.get('/api/tasks/me')).toMatchObject({ status: 200 });
      const { email, password } = { email: 'ana@example.com', password: 'one step a day' };
      expect(await api.post('/api/auth/login', { email, password })).toMatchObject({ status: 200 });
    });

    it.runIf(program === 'nginx')('is reached over TLS only', async () => {
      const { status, headers } = await fetch(`${plain}/habits?day=1`, { redirect: 'manual' });
      expect([status, headers.get('location')]).toEqual([301, 'https://127.0.0.1/habits?day=1']);
    });

    it('knows the address of a client, whatever that says', async () => {
      // Saying that it is somebody else.
      const headers = { 'X-Forwarded-For': '203.0.113.9', 'X-Request-Id': 'from-afar' };
      expect(await from('127.0.0.2', `${base}/api/tasks/me`, 'GET', headers)).toBe(401);
      const line = await eventually(() =>
        service.output.split('\n').find((each) => each.includes('from-afar')),
      );
      expect(JSON.parse(`${line}`)).toMatchObject({ address: '127.0.0.2' });
    });
  });
});
