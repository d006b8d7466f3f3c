import { describe, expect, it } from 'vitest';
import { inOneProcess } from '../support/commands.js';
import { eventually } from '../support/eventually.js';
import { dataDirectory, startService, temporaryFolder } from '../support/process.js';
import { rawConnection } from '../support/raw.js';
import { holdCheckIns, serviceOn } from '../support/service.js';
import { withServer } from '../support/with-server.js';
import { SECRET } from '../support/world.js';

const server = withServer();

describe('The process', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'with a request under way answers it and exits 0 at %s',
    async (signal) => {
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
    },
  );

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

it('steady streaks reset runs the job once for the instant it is given, one in the future with --force only', async () => {
  const tomorrow = new Date(Date.now() + 24 * 3_600_000).toISOString();
  const reset = (...args: string[]) => ({ script: 'streaks-reset', args });
  const called = [
    ...[reset('--now=2026-02-30T00:00:00Z'), reset('--now=2026-11-21'), reset(`--now=${tomorrow}`)],
    ...[reset('--now=2026-11-21T23:59:59Z'), reset(`--now=${tomorrow}`, '--force')],
  ];
  const noInstant = { code: 1, output: '--now must be an instant, such as 2026-11-21T00:00:00Z\n' };
  const told = (day: string) => ({ code: 0, output: `Streaks as of ${day}: 0 corrected.\n` });
  const environment = { DATABASE_URL: server.url('postgres'), DATA_DIR: temporaryFolder() };
  expect(await inOneProcess(called, environment)).toEqual([
    noInstant,
    noInstant,
    { code: 1, output: expect.stringMatching(/^--now is in the future .+: add --force to mean it\n$/) },
    told('2026-11-21'),
    told(tomorrow.slice(0, 10)),
  ]);
});
