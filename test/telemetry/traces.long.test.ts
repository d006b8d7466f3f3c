import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startService, temporaryFolder } from '../support/process.js';
import { withServer } from '../support/with-server.js';

const server = withServer();

interface Span {
  name: string;
  spanId: string;
  parentSpanId?: string;
  attributes: { key: string; value: { stringValue?: string } }[];
}

/** What OpenTelemetry's collector is to a service: it takes spans over HTTP. */
async function collector() {
  const spans: Span[] = [];
  const stub = createServer(async (request, response) => {
    const { resourceSpans } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    for (const { scopeSpans } of resourceSpans)
      for (const scope of scopeSpans) spans.push(...(scope.spans as Span[]));
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => void stub.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void stub.close());
  return { spans, url: `http://127.0.0.1:${(stub.address() as AddressInfo).port}` };
}

/** The folder of the documented commands: the packages, and beside them the copied example. */
function installed(): string {
  const folder = temporaryFolder();
  mkdirSync(folder);
  cpSync('examples/opentelemetry/traces.mjs', path.join(folder, 'traces.mjs'));
  symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'));
  return folder;
}

const attributesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));

it.each([{}, { WORKERS: '2' }])(
  'Traces of requests and their statements go to a collector, with %j',
  async (more) => {
    const { spans, url } = await collector();
    const service = startService({
      DATABASE_URL: await server.newDatabase(),
      DATA_DIR: temporaryFolder(),
      NODE_OPTIONS: `--import ${path.join(installed(), 'traces.mjs')}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      ...more,
    });
    const rest = await service.listening();
    const account = { name: "S'ekrit", email: 'sekrit@example.com', password: 's3kr1t-password' };
    const { body } = await rest.post('/api/auth/signup', account);
    const ana = { authorization: `Bearer ${body.token}` };
    await rest.post('/api/tasks', { title: 'Sekrit title', points: 1 }, { ...ana, 'x-request-id': 'made' });
    await rest.get('/api/tasks/me?sekrit=1', { ...ana, 'x-request-id': 'listed' });
    expect(await service.stop()).toBe(0);

    for (const [id, name, statement] of [
      ['made', 'POST /api/tasks', 'insert into "tasks"'],
      ['listed', 'GET /api/tasks/me', 'from "tasks"'],
    ] as const) {
      const request = spans.find((span) => attributesOf(span)['steady.request.id'] === id);
      expect(request?.name).toBe(name);
      const below = spans.filter(({ parentSpanId }) => parentSpanId === request?.spanId);
      expect(below.map((span) => attributesOf(span)['db.query.text'])).toContainEqual(
        expect.stringContaining(statement),
      );
    }
    const all = JSON.stringify(spans);
    expect(all).not.toMatch(/sekrit|s3kr1t|\$2[aby]\$/i);
    expect(all).not.toContain(body.token);
  },
);
