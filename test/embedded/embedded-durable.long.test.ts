import { fstatSync, globSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import { type EmbeddedOptions, openEmbedded } from '../../src/database/embedded/open.js';
import { DataDirectory } from '../../src/files/data-directory.js';
import { dataDirectory, temporaryFolder } from '../support/process.js';
import { type Functions, replaceFunctions } from '../support/replaced-fs.js';

const replace = (others: Functions) => onTestFinished(replaceFunctions(others));

async function open(DATA_DIR: string, options: EmbeddedOptions = {}) {
  const warnings: string[] = [];
  const onWarning = (line: string) => warnings.push(line);
  const database = await openEmbedded(model, new DataDirectory(DATA_DIR), { onWarning, ...options });
  onTestFinished(() => database.close());
  return { database, warnings };
}

const WRITE = `insert into challenge_templates (title, description, duration_days, created_at, updated_at)
  values ('Swim', 'Every day', 30, now(), now())`;

/** As file systems do that cannot sync this. */
const refusing = (isMeant: (descriptor: number) => boolean): Functions => ({
  fsyncSync: (sync, descriptor: number) => {
    if (isMeant(descriptor)) throw Object.assign(new Error('EINVAL: invalid argument'), { code: 'EINVAL' });
    return sync(descriptor);
  },
});

const isDirectory = (descriptor: number) => fstatSync(descriptor).isDirectory();

describe('A new data directory', () => {
  it('is on the disk under each name before that is counted on', async () => {
    const DATA_DIR = path.join(temporaryFolder(), 'within');
    const events: string[] = [];
    const opened = new Map<number, string>();
    const left: string[][] = [];
    const isSynced = (file: string) => events.includes(`sync ${file}`);
    replace({
      openSync: (open, file: string, ...given) => {
        const descriptor = open(file, ...given);
        opened.set(descriptor, file);
        return descriptor;
      },
      fsyncSync: (sync, descriptor: number) => {
        sync(descriptor);
        events.push(`sync ${opened.get(descriptor)}`);
      },
      renameSync: (rename, from: string, to: string) => {
        if (to.startsWith(`${DATA_DIR}/`) && !to.startsWith(`${DATA_DIR}/postgres/`)) {
          const all = [from, ...globSync(`${from}/**`)];
          left.push(all.filter((file) => !isSynced(file)));
          events.push(`rename to ${to}`);
        }
        return rename(from, to);
      },
    });
    await open(DATA_DIR);
    expect(left).toEqual([[], []]);
    for (const name of ['steady.json', 'postgres']) {
      const renamedAt = events.indexOf(`rename to ${path.join(DATA_DIR, name)}`);
      expect(renamedAt).toBeGreaterThan(0);
      expect(events[renamedAt + 1]).toBe(`sync ${DATA_DIR}`);
    }
    const parents = [path.dirname(DATA_DIR), path.dirname(path.dirname(DATA_DIR))];
    expect(parents.filter((parent) => !isSynced(parent))).toEqual([]);
    expect(statSync(path.join(DATA_DIR, 'postgres')).mode & 0o777).toBe(0o700);
  });
});

describe('A start', () => {
  it.each([
    ['empty', 0],
    ['full of zeros', 30],
  ])("succeeds where a cut has left PostgreSQL's own lock %s", async (_what, size) => {
    const DATA_DIR = dataDirectory();
    writeFileSync(path.join(DATA_DIR, 'postgres/postmaster.pid'), Buffer.alloc(size));
    const { warnings } = await open(DATA_DIR);
    expect(warnings).toEqual([]);
  });
});

describe('Where the file system', () => {
  it('cannot sync directories, the start says so and syncs files', async () => {
    replace(refusing(isDirectory));
    const { database, warnings } = await open(dataDirectory());
    expect(warnings).toEqual([
      expect.stringMatching(/^The file system of DATA_DIR \S+ cannot sync directories \(EINVAL/),
    ]);
    expect(await syncsDuring(() => database.orm.em.fork().execute(WRITE))).toBeGreaterThan(0);
  });

  it('cannot sync files, the start says so and goes on without', async () => {
    replace(refusing(() => true));
    const { database, warnings } = await open(dataDirectory());
    expect(warnings).toEqual([
      expect.stringMatching(/^The file system of DATA_DIR \S+ cannot sync files \(EINVAL/),
    ]);
    await database.orm.em.fork().execute(WRITE);
  });
});

describe('A write', () => {
  it.each([
    ['waits for the disk', true],
    ['does not wait for the disk with EMBEDDED_FSYNC=false', false],
  ])('%s', async (_what, fsync) => {
    const { database, warnings } = await open(dataDirectory(), { fsync });
    const syncs = await syncsDuring(() => database.orm.em.fork().execute(WRITE));
    expect(syncs > 0).toBe(fsync);
    expect(warnings).toEqual([]);
  });
});

async function syncsDuring(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const stop = replaceFunctions({
    fsyncSync: (sync, descriptor: number) => {
      count += 1;
      return sync(descriptor);
    },
  });
  await work().finally(stop);
  return count;
}
