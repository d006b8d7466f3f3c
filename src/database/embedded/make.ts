import { PGlite } from '@electric-sql/pglite';

/**
 * A process that makes a new database in a folder and ends. In the service it would leave behind half a gigabyte: a
 * second PostgreSQL, which fills the tables of the system, and what was compiled for it.
 */
const [, , folder] = process.argv;

/** Spare files of the write-ahead log. They take disk space once: checkpoints recycle them. */
const SPARE_FILES = 4;

process.once('disconnect', () => process.exit(1)); // the service has died

try {
  const database = await PGlite.create(folder);
  for (let number = 0; number < SPARE_FILES; number += 1) {
    await database.exec('select txid_current(); select pg_switch_wal()'); // pg_switch_wal needs a record: it never leaves an empty file
  }
  await database.exec('checkpoint');
  await database.close();
  process.exit(0);
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
