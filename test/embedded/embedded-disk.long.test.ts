import { chmodSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { contentsOf } from '../support/contents.js';
import { eventually } from '../support/eventually.js';
import { dataDirectory, startService } from '../support/process.js';
import { SmallDisk } from '../support/small-disk.js';
import { needs } from '../support/tools.js';
import { type RestClient, refusal } from '../support/world.js';

const ana = { name: 'Ana', email: 'ana@example.com', password: 'secret1' };

async function userWithTask(rest: RestClient) {
  const user = rest.as((await rest.post('/api/auth/signup', ana)).body.token);
  const task = (await user.post('/api/tasks', { title: 'Swim' })).body;
  return { user, complete: () => user.post('/api/task-completions', { task_id: task.id }) };
}

/** More than the rest of one file of the log. */
const fillAndWrite = `
  import { statfsSync, writeFileSync } from 'node:fs';
  import { sql } from 'kysely';
  import { model } from './dist/modules/mikro-orm.config.js';
  import { DataDirectory } from './dist/modules/src/files/data-directory.js';
  import { openEmbedded } from './dist/modules/src/database/embedded/open.js';
  const directory = new DataDirectory(process.env.DATA_DIR);
  const database = await openEmbedded(model, directory, { onEnd: (error) => console.log(error.message) });
  const { bavail, bsize } = statfsSync(directory.path);
  writeFileSync(directory.path + '/../filler', Buffer.alloc(bavail * bsize));
  const message = sql\`pg_logical_emit_message(false, '', repeat('x', 1000000))\`;
  await sql\`select count(\${message}) from generate_series(1, 30)\`.execute(database.query());
  await database.close();
  console.log('Closed');
`;

describe('On a full disk, the service', needs('leave to mount a disk'), () => {
  it('goes on reading, refuses to write, and writes again when there is room', async () => {
    const disk = await SmallDisk.make(300);
    disk.prepare();
    const service = disk.startService();
    const { user, complete } = await userWithTask(await service.listening());
    const refused = refusal(503, 'Service unavailable, nothing was changed');
    let done = 0;
    const attempt = async () => {
      const answer = await complete();
      if (answer.status === 201) done += 1;
      else expect(answer).toEqual(refused);
      return answer.status;
    };
    const counted = async () => (await user.get('/api/tasks/me')).body[0].completion_count;

    await attempt();
    disk.fill(50);
    await eventually(async () => (await attempt()) === 503);
    disk.fill();
    for (let time = 0; time < 50; time += 1) expect(await attempt()).toBe(503);
    expect(await counted()).toBe(done);
    expect((await user.get('/health/ready')).status).toBe(200);

    disk.empty();
    await eventually(async () => (await attempt()) === 201);
    expect(await counted()).toBe(done);
    expect(await service.stop()).toBe(0);
    expect(service.output.match(/nearly full/g)).toHaveLength(1);
    expect(service.output.match(/room on the disk of DATA_DIR again/g)).toHaveLength(1);
  });

  it('has room in the log of its database for what is written before the lack of room is noticed', async () => {
    const disk = await SmallDisk.make(300);
    disk.prepare();
    const writer = disk.run('--input-type=module', '--eval', fillAndWrite);
    expect(await writer.exited).toBe(0);
    expect(writer.output).toBe('Closed\n');
  });

  it.each([
    ['that holds a database', true],
    ['that is new', false],
  ])('does not start on a directory %s, and changes nothing in it', async (_what, isPrepared) => {
    const disk = await SmallDisk.make(200);
    if (isPrepared) disk.prepare();
    disk.fill(isPrepared ? 20 : 150);
    const before = contentsOf(disk.file());
    const service = disk.startService();
    expect(await service.exited).toBe(1);
    expect(service.output).toMatch(/^The disk of DATA_DIR \S+ is full: \d+ MB are left, and .+\n$/);
    expect(contentsOf(disk.file())).toEqual(before);
  });
});

describe('A directory that cannot be written to', () => {
  const line = /^DATA_DIR \S+ cannot be used: (EACCES|EPERM|EROFS): .+\n$/;

  it('is refused, even to root', needs('leave to mount a disk'), async () => {
    const disk = await SmallDisk.make(200);
    disk.prepare();
    disk.makeReadOnly();
    const before = contentsOf(disk.file());
    const service = disk.startService();
    expect(await service.exited).toBe(1);
    expect(service.output).toMatch(line);
    expect(contentsOf(disk.file())).toEqual(before);
  });

  it.skipIf(process.getuid?.() === 0)('is refused for its permissions (root has them all)', async () => {
    const DATA_DIR = dataDirectory();
    const file = path.join(DATA_DIR, 'lock');
    chmodSync(file, 0o400);
    const before = contentsOf(DATA_DIR);
    const service = startService({ DATA_DIR });
    expect(await service.exited).toBe(1);
    expect(service.output).toMatch(line);
    expect(contentsOf(DATA_DIR)).toEqual(before);
  });
});
