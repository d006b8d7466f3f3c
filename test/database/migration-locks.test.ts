import { Migration } from '@mikro-orm/migrations';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { openServer, unhurried } from '../../src/database/server/open.js';
import { modelWith } from '../support/backups.js';
import { ownDatabase, urlOf } from '../support/database.js';
import { eventually } from '../support/eventually.js';

class Wider extends Migration {
  override up(): void {
    this.addSql('alter table tasks add column tried int null');
  }
}

it('A migration that waits for a lock lets writes pass, and is done once the lock is free', async () => {
  const settings = { url: urlOf(await ownDatabase()), poolSize: 1, patience: unhurried };
  const [reader, writer] = [new pg.Client(settings.url), new pg.Client(settings.url)];
  await Promise.all([reader.connect(), writer.connect()]);
  onTestFinished(() => Promise.all([reader.end(), writer.end()]).then(() => {}));
  await reader.query('begin; lock table tasks in access share mode');

  const waiting: unknown[] = [];
  const wider = modelWith((list) => [...list, { name: '9999_wider', class: Wider }]);
  const opening = openServer(wider, { ...settings, onWaiting: (error) => void waiting.push(error) });
  await eventually(() => waiting.length === 1);
  await writer.query('update tasks set points = points');
  await reader.query('commit');
  const database = await opening;
  onTestFinished(() => database.close());
  expect((await writer.query('select tried from tasks')).rows).toEqual([]);
});
