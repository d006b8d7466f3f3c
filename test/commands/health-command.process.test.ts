import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dataDirectory, run, startService } from '../support/process.js';

/** Answers each request with the next status, and the last one from then on. */
async function serverWith(statuses: number[]): Promise<string> {
  const left = [...statuses];
  const server = createServer((request, response) => {
    const [status = 500] = left.length > 1 ? left.splice(0, 1) : left;
    response.writeHead(request.url === '/health/ready' ? status : 404).end('{}');
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return String((server.address() as AddressInfo).port);
}

async function health(environment: Record<string, string>, ...args: string[]) {
  const command = run('operation/commands/health.js', environment, args);
  return { code: await command.exited, line: command.output };
}

describe('The health command', () => {
  it('is 0 beside a service that is ready, by the address that stands for all too, and 1 on another port', async () => {
    const service = startService({ DATA_DIR: dataDirectory(), HOST: '0.0.0.0' });
    const { base } = await service.listening();
    const PORT = new URL(base).port;
    const ready = { code: 0, line: `Ready: http://127.0.0.1:${PORT}/health/ready\n` };
    expect(await health({ HOST: '0.0.0.0', PORT })).toEqual(ready);
    const production = { NODE_ENV: 'production', JWT_SECRET: 'a secret of the test, long enough' };
    expect(await health({ PORT, ...production })).toEqual(ready);
    await service.stop();
    const { code, line } = await health({ PORT });
    expect(code).toBe(1);
    expect(line).toMatch(
      /^Not ready: http:\/\/127\.0\.0\.1:\d+\/health\/ready does not answer: .*ECONNREFUSED.*\n$/,
    );
  });

  it('is 1 while the service drains, or its database is away, after the time of --wait too', async () => {
    const PORT = await serverWith([503]);
    const unready = { code: 1, line: `Not ready: http://127.0.0.1:${PORT}/health/ready answers 503\n` };
    expect(await health({ PORT })).toEqual(unready);
    expect(await health({ PORT }, '--wait=1')).toEqual(unready);
  });

  it('asks again with --wait until the service is ready', async () => {
    const PORT = await serverWith([503, 503, 200]);
    expect(await health({ PORT }, '--wait', '60')).toMatchObject({ code: 0 });
  });

  it.each([
    ['0', 'PORT is 0, so the service has chosen its port itself: set PORT\n'],
    ['1', '--wait must be a whole number of seconds, and is "long"\n'],
  ])('says in one line what is wrong: on the port %s', async (PORT, line) => {
    expect(await health({ PORT }, ...(PORT === '1' ? ['--wait', 'long'] : []))).toEqual({ code: 1, line });
  });
});
