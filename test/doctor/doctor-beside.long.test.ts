import { expect, it } from 'vitest';
import type { Finding } from '../../src/doctor/finding.js';
import { backupOf } from '../support/backup-commands.js';
import { dataDirectory, run, startService } from '../support/process.js';

const SECRET = 'hunter2-hunter2-hunter2-hunter2-hunter2';

const about = (subject: string, found: Finding[]) =>
  found.filter((each) => each.about === subject).map(({ state, message }) => [state, message] as const);

async function doctor(environment: Record<string, string>, ...args: string[]) {
  const command = run('commands/doctor.js', environment, args);
  return { code: await command.exited, output: command.output };
}

it('The doctor works beside a service that has the embedded database open, and says what it could not read', async () => {
  const DATA_DIR = dataDirectory();
  const rest = await startService({ DATA_DIR }).listening();
  await rest.post('/api/auth/signup', { name: 'Ana', email: 'ana@example.com', password: SECRET });
  const before = await backupOf({ DATA_DIR });
  const look = () => doctor({ DATA_DIR, PORT: new URL(rest.base).port }, '--json');
  const { code, output } = await look();
  const { failed, findings: found } = JSON.parse(output);
  expect(about('proxies', found)).toHaveLength(1);
  expect([code, failed]).toEqual([0, false]);
  expect(about('database', found)).toEqual([['ok', expect.stringMatching(/open in another .+ migrations/)]]);
  expect(about('service', found)).toEqual([['ok', `ready at ${rest.base}/health/ready`]]);
  const after = await backupOf({ DATA_DIR });
  expect({ ...after, header: {} }).toEqual({ ...before, header: {} });
  await rest.send('GET', '/api/tasks/me', undefined, { 'X-Forwarded-For': '203.0.113.7' });
  expect((await rest.get('/health/ready')).body).toMatchObject({ status: 'ready', proxy: 'unbelieved' });
  expect(about('proxies', JSON.parse((await look()).output).findings)).toContainEqual([
    'warning',
    expect.stringContaining('requests have come that name a proxy'),
  ]);
});
