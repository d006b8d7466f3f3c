import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.js';
import { startService, temporaryFolder } from '../support/process.js';
import { startProxy } from '../support/proxy.js';
import { startPostgres } from '../support/server.js';

const ONCE_IN_MS = 5_000;
const MEASURED_MS = 41_000;
const MOST = Math.ceil(MEASURED_MS / ONCE_IN_MS) + 1;

it('An idle process asks the database at most once in five seconds, and once in a minute whom to remind', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const proxy = await startProxy(server.port);
  onTestFinished(() => proxy.stop());
  const asked: { at: number; text: string }[] = [];
  const isStatement = ({ type }: { type: string }) => type === 'Q' || type === 'B';
  proxy.whenever(
    ({ type, text }) => isStatement({ type }) && asked.push({ at: performance.now(), text }) > 0,
    () => {},
  );
  const service = startService({
    DATABASE_URL: proxy.through(server.url('postgres')),
    DATA_DIR: temporaryFolder(),
    BACKUP_DIR: temporaryFolder(),
  });
  const rest = await service.listening();
  await eventually(async () => (await rest.get('/health/ready')).body.backup?.lastGoodAt);
  await eventually(() => performance.now() - (asked.at(-1)?.at ?? 0) > ONCE_IN_MS); // what it began has ended
  const from = performance.now();
  await eventually(() => performance.now() - from > MEASURED_MS);
  const idle = asked.filter(({ at }) => at >= from);
  expect(idle.map(({ text }) => text).slice(MOST)).toEqual([]);
  expect(idle.length).toBeGreaterThan(0); // it still looks whether its connection hears

  const before = asked.length;
  const { body } = await rest.post('/api/auth/signup', {
    ...{ name: 'Ana', email: 'ana@example.com', password: 'a good password' },
  });
  const ana = rest.as(body.token);
  await eventually(async () => {
    expect((await ana.get('/api/user/profile')).status).toBe(200);
    const listening = asked.slice(before).filter(({ text }) => text.includes('pg_listening_channels'));
    return listening.length >= 3; // and looks often while somebody relies on it
  });
});
