import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inOneProcess } from '../support/commands.js';
import { eventually } from '../support/eventually.js';
import { dataDirectory, run, startService, temporaryFolder } from '../support/process.js';
import { rawConnection } from '../support/raw.js';
import { type PostgresServer, startPostgres } from '../support/server.js';
import { holdCheckIns, serviceOn } from '../support/service.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
  await server.execute('create database quiet');
});
afterAll(() => server.stop());

/** A database without users. */
const onServer = () => ({ DATABASE_URL: server.url('quiet'), DATA_DIR: temporaryFolder() });

describe('The process, with a request under way', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('answers it and exits 0 at %s', async (signal) => {
    const service = await serviceOn(server, { REQUEST_TIMEOUT: '60000' });
    const checkIns = await holdCheckIns(service);
    const running = service.ana.completes(service.task);
    await checkIns.untilOneWaits();
    const exited = service.process.stop(signal);
    await eventually(() => service.process.output.includes('Stopping'));
    await checkIns.release();
    expect((await running).status).toBe(201);
    expect(await exited).toBe(0);
  });
});

describe('The process', () => {
  it('says at start what it runs on and where the API, the playground, the docs and the page are', async () => {
    const DATA_DIR = dataDirectory();
    const service = startService({ DATA_DIR });
    const { base } = await service.listening();
    expect(service.output).toContain(
      `Steady runs on the embedded database in ${DATA_DIR}: API ${base}/api, playground ${base}/graphql, docs ${base}/api/docs, page ${base}/`,
    );
  });

  it('is live and ready, and says so', async () => {
    const rest = await startService(onServer()).listening();
    expect(await rest.get('/health/live')).toMatchObject({ status: 200, body: { status: 'live' } });
    expect(await rest.get('/health/ready')).toMatchObject({ status: 200, body: { status: 'ready' } });
  });

  it('does not wait, when it stops, for connections that never sent a request', async () => {
    const service = startService(onServer());
    await rawConnection(await service.listening());
    expect(await service.stop()).toBe(0);
  });

  it.each([
    ['PORT', 'http', 'PORT is "http", but must be a whole number from 0 to 65535.'],
    ['NODE_ENV', 'prod', 'NODE_ENV is "prod", but must be one of development, test, production.'],
    [
      'LOG_LEVEL',
      'loud',
      'LOG_LEVEL is "loud", but must be one of fatal, error, warn, info, debug, trace, silent.',
    ],
    [
      'DATABASE_URL',
      'mysql://u:secret@h/d',
      'DATABASE_URL is not valid, but must be a URL that begins with postgres://.',
    ],
    [
      'TRUST_PROXY',
      '10.0.0.0/33',
      'TRUST_PROXY is "10.0.0.0/33", but must be a number of proxies, or addresses, ranges, loopback, linklocal, uniquelocal, separated by commas.',
    ],
  ])('does not start with a wrong %s, and says what is allowed', async (name, value, message) => {
    const service = startService({ DATA_DIR: temporaryFolder(), [name]: value });
    expect(await service.exited).toBe(1);
    expect(service.output).toBe(`${message}\n`);
  });

  it('refuses every unsafe default in production, one clear line each', async () => {
    const NODE_ENV = 'production';
    const service = startService({ DATA_DIR: temporaryFolder(), NODE_ENV });
    expect(await service.exited).toBe(1);
    expect(service.output).toBe(
      [
        'JWT_SECRET is not set, but must be at least 32 random characters in production.',
        'HASH_COST is 4, but must be at least 10 in production.',
        '',
      ].join('\n'),
    );
    const short = startService({
      DATA_DIR: temporaryFolder(),
      NODE_ENV,
      JWT_SECRET: 'hunter2',
      HASH_COST: '10',
    });
    expect(await short.exited).toBe(1);
    expect(short.output).toBe(
      'JWT_SECRET is too short, but must be at least 32 random characters in production.\n',
    );
  });

  it('says so when its port is taken', async () => {
    const first = startService(onServer());
    const { port } = new URL((await first.listening()).base);
    const second = startService({ ...onServer(), PORT: port });
    expect(await second.exited).toBe(1);
    expect(second.output).toMatch(/The port is taken \((listen|bind) EADDRINUSE/);
    expect(second.output).toContain(` 127.0.0.1:${port})`);
  });

  it('says so when it cannot listen on its address, or use its directory', async () => {
    const host = startService({ ...onServer(), HOST: '192.0.2.1' });
    expect(await host.exited).toBe(1);
    expect(host.output).toMatch(
      /Cannot listen there \((listen|bind) EADDRNOTAVAIL.*\)\. See HOST and PORT\.\n$/,
    );
    const directory = startService({ DATA_DIR: '/proc/steady' });
    expect(await directory.exited).toBe(1);
    expect(directory.output).toMatch(/^DATA_DIR \/proc\/steady cannot be used: .+\n$/);
  });

  it('says so when its database cannot be reached', async () => {
    const service = startService({
      DATA_DIR: temporaryFolder(),
      DATABASE_URL: 'postgres://postgres@127.0.0.1:1/steady',
      DATABASE_START_TIMEOUT: '0',
    });
    expect(await service.exited).toBe(1);
    expect(service.output).toMatch(/^The database of DATABASE_URL cannot be used: .*ECONNREFUSED.*\n$/);
  });
});

describe('npm run streaks:reset', () => {
  it('runs the job once for the instant it is given', async () => {
    const command = run('commands/streaks-reset.js', onServer(), ['--now=2026-11-21T23:59:59Z']);
    expect(await command.exited).toBe(0);
    expect(command.output).toBe('Streaks as of 2026-11-21: 0 corrected.\n');
  });

  it('refuses what is no instant, in a line', async () => {
    const NO_INSTANT = '--now must be an instant, such as 2026-11-21T00:00:00Z\n';
    const given = ['--now=2026-02-30T00:00:00Z', '--now=2026-11-21', '--now=yesterday'];
    const called = given.map((argument) => ({ script: 'streaks-reset', args: [argument] }));
    const refused = given.map(() => ({ code: 1, output: NO_INSTANT }));
    expect(await inOneProcess(called, { DATA_DIR: temporaryFolder() })).toEqual(refused);
  });

  it('takes an instant in the future only with --force', async () => {
    const environment = onServer();
    const reset = async (...args: string[]) => {
      const command = run('commands/streaks-reset.js', environment, args);
      return [await command.exited, command.output];
    };
    const tomorrow = new Date(Date.now() + 24 * 3_600_000).toISOString();
    expect(await reset(`--now=${tomorrow}`)).toEqual([
      1,
      '--now is in the future and would end streaks that are alive: add --force to mean it\n',
    ]);
    const done = [0, `Streaks as of ${tomorrow.slice(0, 10)}: 0 corrected.\n`];
    expect(await reset(`--now=${tomorrow}`, '--force')).toEqual(done);
    expect(await reset('--force', '--now=2026-11-20T00:00:00Z')).toEqual([
      0,
      'Streaks as of 2026-11-20: 0 corrected.\n',
    ]);
  });
});
