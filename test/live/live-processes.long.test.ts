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
import { type ServiceProcess, startService, temporaryFolder } from '../support/process.js';
import { HANDSHAKE, rawConnection } from '../support/raw.js';
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

  async function twoProcesses(database: string) {
    await server.execute(`create database ${database}`);
    const start = () =>
      startService({ DATABASE_URL: server.url(database), DATA_DIR: temporaryFolder(), JWT_SECRET });
    const processes: [ServiceProcess, ServiceProcess] = [start(), start()];
    const [here, there] = [await processes[0].listening(), await processes[1].listening()];
    const { token, taskId } = await crowdUser(here);
    const complete = (rest: RestClient) => rest.as(token).post('/api/task-completions', { task_id: taskId });
    return { processes, here, there, token, complete };
  }

  it('tell each other what changed', async () => {
    const { here, there, token, complete } = await twoProcesses('telling');
    const onHere = await streamOf({ base: here.base, token }, PROGRESS);
    const onThere = await streamOf({ base: there.base, token }, PROGRESS);
    for (const rest of [here, there]) {
      const { id } = (await complete(rest)).body;
      for (const stream of [onHere, onThere]) {
        expect((await stream.next()).data.progressChanged.completion.id).toBe(String(id));
      }
    }
  });

  it('listen again by themselves after their listening connections were cut, and have clients subscribe anew', async () => {
    const { here, there, token, complete } = await twoProcesses('cut');
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

  it('send away the clients of the one that stops', async () => {
    const { processes, here, there, token, complete } = await twoProcesses('stopping');
    const { arrived, closings } = listening({ base: there.base, token });
    const stream = await streamOf({ base: there.base, token }, PROGRESS);
    await eventually(async () => (await complete(here)) && arrived.length > 0);
    expect(await processes[1].stop()).toBe(0);
    await eventually(() => closings.length > 0);
    expect(closings[0]).toBe(1001);
    await untilItEnds(stream);
  });
});

describe('A process that is told to stop', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  it('answers what is under way on WebSockets, ends event streams and exits 0', async () => {
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

  it('does not wait for a WebSocket that does not answer', async () => {
    const { process, rest } = await serviceOn(server);
    const silent = await rawConnection(rest);
    silent.send(HANDSHAKE);
    await silent.answers(1);
    expect(await process.stop()).toBe(0);
  });
});
