import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.js';
import { startService, temporaryFolder } from '../support/process.js';
import { withServer } from '../support/with-server.js';

const server = withServer();

const onServer = () => ({ DATABASE_URL: server.url('postgres'), DATA_DIR: temporaryFolder() });

/** What OpenTelemetry's collector is to a service: it takes spans over HTTP. */
async function receiver() {
  const bodies: { url: string; text: string }[] = [];
  const collector = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    bodies.push({ url: request.url ?? '', text: Buffer.concat(chunks).toString('latin1') });
    response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end();
  });
  await new Promise<void>((resolve) => void collector.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void collector.close());
  return { bodies, url: `http://127.0.0.1:${(collector.address() as AddressInfo).port}` };
}

/** The option with which Node runs a script of this test first. */
function preloading(script: string): string {
  const file = path.join(temporaryFolderThere(), 'first.cjs');
  writeFileSync(file, script);
  return `--require ${file}`;
}

/** Tells at its end how many files of the SDK a process has loaded. */
const spying = () =>
  preloading(
    "process.on('exit', () => console.log('SDK files:', Object.keys(require.cache).filter((name) => name.includes('@opentelemetry')).length));",
  );

const temporaryFolderThere = () => path.dirname(temporaryFolder());

describe('Traces', () => {
  it('go to a receiver that a standard variable names, the last ones when the service stops', async () => {
    const { bodies, url } = await receiver();
    const service = startService({
      ...onServer(),
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=trial',
      NODE_OPTIONS: spying(),
    });
    const rest = await service.listening();
    await rest.post('/graphql', { query: 'query SentAway { me { id } }' });
    expect(await service.stop()).toBe(0);
    const sent = bodies
      .filter((body) => body.url === '/v1/traces')
      .map(({ text }) => text)
      .join();
    for (const word of ['POST /graphql', 'SentAway', 'streak job', 'trial', 'steady'])
      expect(sent).toContain(word);
    expect(sent).not.toMatch(/process\.(command|owner|executable)/);
    expect(service.output).toMatch(/SDK files: [1-9]/);
  });

  it.each([
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'true' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_TRACES_EXPORTER: 'none' },
  ])('load no file of the SDK with %j', async (environment) => {
    const service = startService({ ...onServer(), ...environment, NODE_OPTIONS: spying() });
    const rest = await service.listening();
    expect((await rest.get('/health/live')).status).toBe(200);
    expect(await service.stop()).toBe(0);
    expect(service.output).toContain('SDK files: 0');
  });

  it('are not made where the SDK is not installed, and a line says what to install', async () => {
    const service = startService({
      ...onServer(),
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      NODE_OPTIONS: preloading(`
        const { Module } = require('node:module');
        const resolve = Module._resolveFilename;
        Module._resolveFilename = (name, ...rest) => {
          if (name !== '@opentelemetry/sdk-node') return resolve(name, ...rest);
          throw Object.assign(new Error("Cannot find module '@opentelemetry/sdk-node'"), { code: 'MODULE_NOT_FOUND' });
        };`),
    });
    const rest = await service.listening();
    expect((await rest.get('/health/live')).status).toBe(200);
    expect(service.output).toContain('Run: npm install @opentelemetry/sdk-node');
    expect(await service.stop()).toBe(0);
  });

  it('that nobody takes hold up neither requests nor the end, and one line says why, without secrets', async () => {
    const service = startService({
      ...onServer(),
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://ana:hunter2@127.0.0.1:1/?key=hunter2',
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20hunter2-in-a-header',
      OTEL_EXPORTER_OTLP_TIMEOUT: '200',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    });
    const rest = await service.listening();
    await eventually(async () => {
      expect((await rest.get('/health/ready')).status).toBe(200);
      return service.output.includes('Traces are not sent');
    });
    for (let times = 0; times < 3; times += 1) await rest.get('/api/tasks/me');
    expect(await service.stop()).toBe(0);
    const lines = service.output.split('\n').filter((line) => line.includes('Traces'));
    expect(lines).toEqual([expect.stringMatching(/"level":40.+the service goes on/)]);
    expect(service.output).not.toContain('hunter2');
  });
});
