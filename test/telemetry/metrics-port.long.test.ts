import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { childrenOf } from '../support/children.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/port.js';
import { startService, temporaryFolder } from '../support/process.js';
import { withServer } from '../support/with-server.js';

const server = withServer();

const onServer = () => ({ DATABASE_URL: server.url('postgres'), DATA_DIR: temporaryFolder() });

const metricsAt = async (port: string) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

const valueIn = (text: string, name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);

const LIVE =
  'http_server_request_duration_seconds_count{http_request_method="GET",http_route="/health/live",http_response_status_code="200"}'.replace(
    /[{}]/g,
    '\\$&',
  );

describe('METRICS_PORT', () => {
  it('tells of all workers in one answer, whatever becomes of them; the public port tells nothing', async () => {
    const METRICS_PORT = `${await freePort()}`;
    const service = startService({ ...onServer(), WORKERS: '2', METRICS_PORT, LOG_REQUESTS: 'none' });
    const rest = await service.listening();
    for (let count = 0; count < 40; count += 1) await rest.get('/health/live', { connection: 'close' });
    await eventually(async () => valueIn(await metricsAt(METRICS_PORT), LIVE) === 40);
    expect(valueIn(await metricsAt(METRICS_PORT), 'steady_worker_restarts_total')).toBe(0);
    expect((await rest.get('/metrics')).status).toBe(404);

    const counted: number[] = [];
    const ask = async () => {
      const text = await metricsAt(METRICS_PORT);
      counted.push(valueIn(text, LIVE));
      return text;
    };
    const [worker, other] = childrenOf(service.child) as [number, number];
    process.kill(worker, 'SIGSTOP');
    await ask();
    process.kill(other, 'SIGSTOP');
    expect((await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).status).toBe(503);
    for (const each of [worker, other]) process.kill(each, 'SIGCONT');
    process.kill(worker, 'SIGKILL');
    await eventually(async () => valueIn(await ask(), 'steady_worker_restarts_total') === 1);
    await eventually(async () => childrenOf(service.child).length === 2);
    service.child.kill('SIGHUP');
    await eventually(async () => {
      await ask();
      return service.output.includes('All workers have been replaced');
    });
    expect(new Set(counted), 'a counter never falls').toEqual(new Set([40]));
    expect(await service.stop()).toBe(0);
  });

  it.each(['1', '2'])('that is taken stops the start of %s worker(s) with one line', async (WORKERS) => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const METRICS_PORT = `${(taken.address() as AddressInfo).port}`;
    const service = startService({ ...onServer(), WORKERS, METRICS_PORT });
    expect(await service.exited).toBe(1);
    expect(service.output).toMatch(
      /^The port is taken \(.*EADDRINUSE.*\)\. Choose another with METRICS_PORT\. If that is this Steady .+\n$/,
    );
    taken.close();
  });
});
