import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crowdUser } from '../support/crowd.js';
import { eventually } from '../support/eventually.js';
import {
  CHALLENGE,
  type EventStream,
  firstOf,
  PROGRESS,
  type Result,
  socketOf,
  streamOf,
} from '../support/live.js';
import { startService, temporaryFolder } from '../support/process.js';
import { type PostgresServer, startPostgres } from '../support/server.js';
import { holdCheckIns, serviceOn } from '../support/service.js';
import type { RestClient } from '../support/world.js';

const JWT_SECRET = 'a secret of two processes, of more than 32 characters';

/** Collects what arrives over a WebSocket, connecting again as clients do. */
function listening(somewhere: { base: string; token: string }) {
  const client = socketOf(somewhere, { retryAttempts: 50 });
  const closings: number[] = [];
  client.on('closed', (event) => closings.push((event as { code: number }).code));
  const arrived: Result[] = [];
  client.subscribe(
    { query: PROGRESS },
    { next: (result) => arrived.push(result), error: () => {}, complete: () => {} },
  );
  return { arrived, closings };
}

async function untilItEnds(stream: EventStream): Promise<void> {
  while (await stream.next());
}

describe('Two processes on one PostgreSQL database', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  it('tell each other what changed, listen again after a cut, and have clients subscribe anew', async () => {
    await server.execute('create database cut');
    const start = () =>
      startService({ DATABASE_URL: server.url('cut'), DATA_DIR: temporaryFolder(), JWT_SECRET });
    const [first, second] = [start(), start()];
    const [here, there] = [await first.listening(), await second.listening()];
    const { token, taskId } = await crowdUser(here);
    const complete = (rest: RestClient) => rest.as(token).post('/api/task-completions', { task_id: taskId });
    const streams = [here, there].map(({ base }) => streamOf({ base, token }, PROGRESS));
    const [onHere, onThere] = (await Promise.all(streams)) as [EventStream, EventStream];
    for (const rest of [here, there]) {
      const { id } = (await complete(rest)).body;
      for (const stream of [onHere, onThere])
        expect((await stream.next()).data.progressChanged.completion.id).toBe(String(id));
    }
    const { arrived, closings } = listening({ base: there.base, token });
    const completeUntilHeard = async () => {
      const before = arrived.length;
      await eventually(async () => (await complete(here)) && arrived.length > before);
    };
    await completeUntilHeard();
    for (let cut = 1; cut <= 2; cut += 1) {
      const stream = await streamOf({ base: there.base, token }, PROGRESS);
      await server.execute(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'cut' and application_name = 'steady announcements'`,
      );
      await expect(untilItEnds(stream)).rejects.toThrow();
      await eventually(() => closings.length === cut);
      await completeUntilHeard();
    }
    expect(closings).toEqual([1012, 1012]);
  });

  it('answer what is under way on WebSockets, end event streams and exit 0 when they are told to stop', async () => {
    const service = await serviceOn(server, { REQUEST_TIMEOUT: '60000' });
    const { ana, task } = service;
    const stream = await streamOf(ana, CHALLENGE);
    const checkIns = await holdCheckIns(service);
    const mutation = 'mutation ($id: ID!) { completeTask(taskId: $id) { isReplayed } }';
    const running = firstOf(socketOf(ana), mutation, { id: task.id });
    await checkIns.untilOneWaits();
    const exited = service.process.stop();
    await eventually(() => service.process.output.includes('Stopping'));
    await checkIns.release();
    expect(await running).toEqual({ data: { completeTask: { isReplayed: false } } });
    expect(await stream.next()).toBeUndefined();
    expect(await exited).toBe(0);
  });
});
