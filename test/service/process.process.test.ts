import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { inOneProcess } from '../support/commands.js';
import { eventually } from '../support/eventually.js';
import { dataDirectory, startService, temporaryFolder } from '../support/process.js';
import { rawConnection } from '../support/raw.js';
import { holdCheckIns, serviceOn } from '../support/service.js';
import { withServer } from '../support/with-server.js';
import { SECRET } from '../support/world.js';

const server = withServer();

/** A database without users. */
const onServer = () => ({ DATABASE_URL: server.url('postgres'), DATA_DIR: temporaryFolder() });

describe('The process, with a request under way', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('answers it and exits 0 at %s', async (signal) => {
    const service = await serviceOn(server, { REQUEST_TIMEOUT: '60000' });
    const checkIns = await holdCheckIns(service);
    await rawConnection(service.rest); // never sends anything, and is not waited for
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
      `Steady runs on the embedded database in ${DATA_DIR}: API ${base}/api, playground ${base}/graphql, docs ${base}/api/docs, page ${base}/ (sign-up is open)`,
    );
  });

  it('ends with 1 and says why, at a signal before it serves', async () => {
    const service = startService({ DATABASE_URL: 'postgres://127.0.0.1:1/d', JWT_SECRET: SECRET });
    await eventually(() => service.output.includes('Waiting for the database'));
    expect(await service.stop()).toBe(1);
    expect(service.output).toMatch(/^Asked to stop before it served anything$/m);
  });
});

describe('A command that looks at a database', () => {
  it('makes none', async () => {
    const DATA_DIR = temporaryFolder();
    const called = ['streaks-verify', 'streaks-reset'].map((script) => ({ script, args: [] }));
    const output = `There is no database in DATA_DIR ${DATA_DIR}: the start of the service makes one\n`;
    expect(await inOneProcess(called, { DATA_DIR })).toEqual(called.map(() => ({ code: 1, output })));
    expect(existsSync(path.join(DATA_DIR, 'postgres'))).toBe(false);
  });
});

describe('steady streaks reset', () => {
  const tomorrow = new Date(Date.now() + 24 * 3_600_000).toISOString();

  it('refuses in a line what is no instant, and one in the future', async () => {
    const NO_INSTANT = '--now must be an instant, such as 2026-11-21T00:00:00Z\n';
    const FUTURE = '--now is in the future and would end streaks that are alive: add --force to mean it\n';
    const lines = [
      ['2026-02-30T00:00:00Z', NO_INSTANT],
      ['2026-11-21', NO_INSTANT],
      ['yesterday', NO_INSTANT],
      [tomorrow, FUTURE],
    ];
    const called = lines.map(([now]) => ({ script: 'streaks-reset', args: [`--now=${now}`] }));
    const refused = lines.map(([, output]) => ({ code: 1, output }));
    expect(await inOneProcess(called, { DATA_DIR: temporaryFolder() })).toEqual(refused);
  });

  it('runs the job once for the instant it is given, with --force for one in the future', async () => {
    const reset = (...args: string[]) => ({ script: 'streaks-reset', args });
    const called = [reset('--now=2026-11-21T23:59:59Z'), reset(`--now=${tomorrow}`, '--force')];
    const told = (day: string) => ({ code: 0, output: `Streaks as of ${day}: 0 corrected.\n` });
    expect(await inOneProcess(called, onServer())).toEqual([told('2026-11-21'), told(tomorrow.slice(0, 10))]);
  });
});
