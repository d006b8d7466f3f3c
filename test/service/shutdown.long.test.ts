import { describe, expect, it, onTestFinished } from 'vitest';
import { type CrowdUser, crowd, crowdUser } from '../support/crowd.js';
import { eventually } from '../support/eventually.js';
import { PROGRESS } from '../support/live.js';
import { dataDirectory, startService, temporaryFolder } from '../support/process.js';
import { HANDSHAKE, LIVE, rawConnection, stuckRequest } from '../support/raw.js';
import { withServer } from '../support/with-server.js';
import type { RestClient } from '../support/world.js';

const JWT_SECRET = 'a secret of many processes, of more than 32 characters';
const SIGNALS = Number(process.env.TEST_SIGNALS ?? 5);
const PER_SECOND = 500;

const server = withServer();

async function started(environment: Record<string, string> = {}) {
  const service = startService({ DATA_DIR: dataDirectory(), REQUEST_TIMEOUT: '60000', ...environment });
  return { service, rest: await service.listening() };
}

describe('Under 500 requests a second, on keep-alive connections,', () => {
  it(`${SIGNALS} SIGTERMs reset no request, lose no completion and end with 0`, async () => {
    const DATABASE_URL = await server.newDatabase();
    const start = () => started({ DATABASE_URL, DATA_DIR: temporaryFolder(), JWT_SECRET });
    let { service, rest } = await start();
    const users: CrowdUser[] = []; // one after the other: a worker's line for passwords may be shorter than twenty
    while (users.length < 20) users.push(await crowdUser(rest));

    let [completed, unavailable] = [0, 0];
    for (let signal = 0; signal < SIGNALS; signal += 1) {
      const clients = crowd(rest, users, { perSecond: PER_SECOND });
      const next = await start();
      await eventually(() => clients.count() > 100);
      const stopped = service.stop();
      const atSignal = clients.count();
      await eventually(() => clients.count() > atSignal + 200);
      const counted = await clients.stop();
      expect(await stopped).toBe(0);
      completed += counted.completed;
      unavailable += counted.unavailable;
      ({ service, rest } = next);
    }
    const profiles = await Promise.all(users.map(({ token }) => rest.as(token).get('/api/user/profile')));
    const points = profiles.reduce((sum, { body }) => sum + body.points, 0);
    expect(points).toBeGreaterThanOrEqual(completed);
    expect(points).toBeLessThanOrEqual(completed + unavailable); // on a slow machine some outcomes are unknown
  });
});

const signUp = 'POST /api/auth/signup HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

const isRefused = (rest: RestClient) =>
  rest.get('/health/live', { connection: 'close' }).then(
    () => false,
    ({ code }) => code === 'ECONNREFUSED',
  );

describe('When it is told to stop, the service', () => {
  it('answers clients that have connected, whether it has noticed them or not', async () => {
    const { service, rest } = await started();
    service.child.kill('SIGSTOP');
    const waiting = await Promise.all(Array.from({ length: 50 }, () => rawConnection(rest)));
    for (const { send } of waiting) send(LIVE.replace('Host: x', 'Host: x\r\nConnection: close'));
    service.child.kill('SIGTERM');
    service.child.kill('SIGCONT');
    await eventually(() => waiting.every(({ isClosed }) => isClosed));
    for (const { statuses } of waiting) expect(statuses()).toEqual([200]);
    expect(await service.exited).toBe(0);
  });

  it('answers one more request on a connection that was idle, and says that it closes', async () => {
    const { service, rest } = await started();
    const [unused, idle] = [await rawConnection(rest), await rawConnection(rest)];
    idle.send(LIVE);
    await idle.answers(1);
    service.child.kill('SIGTERM');
    await eventually(() => unused.isClosed);
    expect(idle.received).not.toContain('Connection: close');
    idle.send(LIVE);
    expect(await service.exited).toBe(0);
    await eventually(() => idle.isClosed);
    expect(idle.statuses()).toEqual([200, 200]);
    expect(idle.received).toContain('Connection: close');
  });

  it('answers clients that are still sending, and lets them finish', async () => {
    const { service, rest } = await started();
    const connection = await rawConnection(rest);
    connection.send(LIVE);
    await connection.answers(1);
    service.child.kill('SIGTERM');
    await eventually(() => isRefused(rest));
    connection.send(
      `POST /api/tasks HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n${' '.repeat(100_000)}`,
    );
    await connection.answers(2);
    connection.send(' '.repeat(100_000) + LIVE);
    expect(await service.exited).toBe(0);
    await eventually(() => connection.isClosed);
    expect(connection.statuses()).toEqual([200, 401, 200]);
  });

  it('cuts off connections that cannot end, early enough to close everything else, and ends with 0', async () => {
    const { service, rest } = await started();
    const { token } = await crowdUser(rest);
    const stuck = await stuckRequest(rest);
    const another = () => rawConnection(rest);
    const others = await Promise.all([another(), another(), another(), another(), another()]);
    const [halfAsked, deaf, slow, deafStream, silent] = others;
    halfAsked.send(`${LIVE}GET /health/live HTTP/1.1\r\nHost: x\r\nA: `);
    deaf.pause();
    deaf.send(LIVE.replace('/health/live', '/api/docs/swagger-ui-bundle.js').repeat(20));
    slow.send(`${LIVE}${signUp}Transfer-Encoding: chunked\r\n\r\n`);
    deafStream.pause();
    const query = JSON.stringify({ query: PROGRESS });
    deafStream.send(
      `POST /graphql HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${query.length}\r\n\r\n${query}`,
    );
    silent.send(HANDSHAKE);
    await Promise.all([halfAsked, slow, silent].map(({ answers }) => answers(1)));
    const dripping = setInterval(() => {
      for (const { send } of [stuck, halfAsked]) send(' ');
      slow.send('1\r\n \r\n');
    }, 1_000);
    onTestFinished(() => clearInterval(dripping));
    expect(await service.stop()).toBe(0);
    expect(service.output).toContain('"Stopped"');
    expect(service.output).not.toMatch(/"level":[56]0|Error/);
    await eventually(() => stuck.isClosed && slow.isClosed);
    for (const { statuses, received } of [stuck, slow]) {
      expect(statuses()).toEqual([200, 503]);
      expect(received).toMatch(/\{"error":"Service unavailable, nothing was changed"\}$/);
    }
  });

  it('ends at once with 1 at a second signal, unless that is an echo of the first', async () => {
    const { service, rest } = await started();
    await stuckRequest(rest);
    const since = performance.now();
    const signalling = setInterval(() => service.child.kill('SIGTERM'), 100);
    expect(await service.stop()).toBe(1);
    clearInterval(signalling);
    expect(performance.now() - since).toBeGreaterThan(1_000);
    expect(service.output).toContain('Asked to stop a second time: not everything was answered\n');
  });
});
