import { constants, setPriority } from 'node:os';
import { model } from '../../../mikro-orm.config.js';
import { argumentsOf } from '../../base/commands/arguments.js';
import type { Config } from '../../base/config.js';
import { knownTo } from '../../database/migrations.js';
import { readConfig } from '../../features/settings.js';
import { fromDatabase } from '../backup/configured-database.js';
import { readFile, writeFile, writeTo } from '../backup/file.js';
import { BackupFolder, nameAt } from '../backup/folder.js';
import { watched } from '../backup/format.js';
import { carryOut, hooks } from './command.js';
import { progress, sizeOf } from './report.js';

const HELP = `steady backup [--to FILE|-] [--verify FILE]

Writes all data to one file, as it is at one moment. The service may run: it goes on serving.
The file restores into the embedded database as well as into a server: see steady restore.
It holds password hashes, so only its owner may read it.

--to FILE|-    where to write it, - for the standard output; else to steady-<instant>.jsonl.gz in BACKUP_DIR
               if that is set, or in this directory
--verify FILE  makes none, and reads that one to its end: whether it is whole, and this release can
               restore it

Examples:
  steady backup
  steady backup --to /mnt/other-disk/steady.jsonl.gz
  steady backup --verify /mnt/other-disk/steady.jsonl.gz

Exit codes:
  0  the backup is whole, and on the disk
  1  there is none, or it is not whole, and a line says why`;

/** The service comes first, on the processor too. */
const stepBack = () => setPriority(constants.priority.PRIORITY_LOW);

async function backup({ to, verify }: ReturnType<typeof requestIn>): Promise<number> {
  if (verify !== undefined) return verified(verify);
  stepBack();
  const config = readConfig();
  return fromDatabase(config, { ...hooks, rests: true }, async (found) => {
    const contents = watched(found, progress());
    if (to === '-') {
      await writeTo(process.stdout, contents);
      return 0;
    }
    const file = to ?? (await placeFor(config, new Date(contents.header.madeAt)));
    const { counts } = await writeFile(file, contents);
    console.log(`Backed up ${sizeOf(counts)}, to ${file}.`);
    return 0;
  });
}

/** Beside those that the service makes, which know its name. */
async function placeFor({ backupDir }: Config, madeAt: Date): Promise<string> {
  if (backupDir === undefined) return nameAt(madeAt);
  const folder = new BackupFolder(backupDir);
  await folder.make();
  return folder.file(madeAt);
}

async function verified(file: string): Promise<number> {
  const { header, trailer } = await readFile(file, knownTo(model.migrations));
  console.log(`${file} is whole: ${sizeOf(trailer.counts)}, as of ${header.madeAt}.`);
  return 0;
}

const requestIn = () =>
  argumentsOf({ options: { to: { type: 'string' }, verify: { type: 'string' } } }).values;

await carryOut(HELP, requestIn, backup);
