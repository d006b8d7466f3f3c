import path from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import { openEmbedded } from '../../src/database/embedded/open.js';
import { DataDirectory } from '../../src/files/data-directory.js';
import { Random } from '../chaos/random.js';
import { DiskLog } from '../support/disk-log.js';
import { brokenPromises, History } from '../support/history.js';
import { Disk, Image } from '../support/power-cut.js';
import { dataDirectory } from '../support/process.js';
import { world } from '../support/world.js';

const CUTS = Number(process.env.POWER_CUTS ?? 50);
const SEED = Number(process.env.POWER_SEED ?? Math.trunc(Math.random() * 2 ** 31));

/** Cuts per recording: another one is made for the next. */
const PER_RECORDING = 100;

/** A database, what its disk is asked to do, and what that held before. */
async function openRecorded() {
  const DATA_DIR = dataDirectory();
  const folder = path.join(DATA_DIR, 'postgres');
  const log = new DiskLog(folder);
  const disk = new Disk(folder, log);
  log.start();
  onTestFinished(() => log.stop());
  const database = await openEmbedded(model, new DataDirectory(DATA_DIR));
  return { database, log, disk };
}

/** A service at work. */
async function recorded(seed: number) {
  const { database, log, disk } = await openRecorded();
  const service = await world({ database });
  const history = new History(service, log, seed);
  await history.go(60);
  await database.close();
  log.stop();
  return { disk, log, writes: history.writes };
}

async function promisesBrokenIn(DATA_DIR: string, writes: History['writes'], cutAt: number) {
  try {
    const database = await openEmbedded(model, new DataDirectory(DATA_DIR), { fsync: false });
    return await brokenPromises(database, writes, cutAt).finally(() => database.close());
  } catch (error) {
    return [`It does not come up: ${(error as Error).message}`];
  }
}

/** Most of them about a sync or a change of names: most operations only fill new files with zeros. */
function momentIn({ operations }: DiskLog, random: Random): number {
  const kinds = random.pick([['sync'], ['name', 'unname', 'rename'], ['write']]);
  const places = operations.flatMap(({ kind }, at) => (kinds.includes(kind) ? [at] : []));
  return Math.max(0, Math.min(random.pick(places) + random.whole(-6, 2), operations.length));
}

describe('After a power cut', () => {
  it(
    `at any of ${CUTS} moments, what was acknowledged is there, and nothing is there by half`,
    async () => {
      console.log(`POWER_SEED=${SEED}`);
      const broken: unknown[] = [];
      const DATA_DIR = dataDirectory();
      const image = new Image(path.join(DATA_DIR, 'postgres'));
      for (let done = 0; done < CUTS; done += PER_RECORDING) {
        const random = new Random(SEED + done);
        const { disk, log, writes } = await recorded(random.whole(0, 2 ** 31));
        const count = Math.min(PER_RECORDING, CUTS - done);
        const cuts = Array.from({ length: count }, () => momentIn(log, random));
        for (const cutAt of cuts.sort((a, b) => a - b)) {
          disk.advance(cutAt);
          image.hold(disk.afterCut(random));
          const promises = await promisesBrokenIn(DATA_DIR, writes, cutAt);
          if (promises.length > 0) broken.push({ seed: SEED, cutAt, of: log.position, promises });
        }
      }
      expect(broken).toEqual([]);
    },
    60_000 + CUTS * 20_000,
  );

  it('while a file was being replaced, there is the old or the new one under its name', async () => {
    const { database, log } = await openRecorded();
    await sql`vacuum full pg_class`.execute(database.query());
    await database.close();
    expect(log.operations).toContainEqual(
      expect.objectContaining({ kind: 'rename', to: 'pg_filenode.map', replaces: true }),
    );
  });
});
