import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import { openServer, unhurried } from '../../src/database/server/open.js';
import { explainStartError } from '../../src/operation/startup/start-errors.js';
import { command, newFile, seeded, succeeds } from '../support/backup-commands.js';
import { linesOf } from '../support/backups.js';
import { eventually } from '../support/eventually.js';
import { answerOf, type Pair, startPair } from '../support/standby.js';

let pair: Pair;
beforeAll(async () => {
  // A query in the way of what is replayed is cancelled at once.
  pair = await startPair({ standbySettings: { max_standby_streaming_delay: '0' } });
});
afterAll(() => pair.stop());

/** The name of a database with three users, which the standby has. */
async function databaseOfThree(): Promise<string> {
  const name = `on_standby_${randomUUID().replaceAll('-', '')}`;
  await pair.primary.execute(`create database ${name}`);
  await seeded({ DATABASE_URL: pair.primary.url(name) }, 3);
  await pair.untilCaughtUp();
  return name;
}

describe('Commands whose DATABASE_URL names a standby', () => {
  it('make a backup there, look for wrong counters, list users, and say in one line that nothing can be changed', async () => {
    const name = await databaseOfThree();
    const onStandby = { DATABASE_URL: pair.standby.url(name) };
    const file = newFile();
    expect(await succeeds('backup', onStandby, '--to', file)).toMatch(/^Backed up 3 users/);
    expect(linesOf(file).rows.filter((row) => row.startsWith('["users",'))).toHaveLength(3);
    expect(await succeeds('streaks-verify', onStandby)).toMatch(/agrees with its history/);
    expect((await succeeds('users', onStandby, 'list')).trim().split('\n')).toHaveLength(3);
    await answerOf(pair.primary, 'update user_progress set points = points + 1', name);
    await pair.untilCaughtUp();
    expect(await command('streaks-verify', onStandby)).toMatchObject({ code: 1 });
    expect(await command('streaks-verify', onStandby, '--fix')).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^Nothing can be written .+ the server a standby\? Then name the primary\.\n$/,
      ),
    });
  });

  it('say what to set where the standby ends a long read', async () => {
    const name = await databaseOfThree();
    const settings = { url: pair.standby.url(name), poolSize: 2, patience: unhurried, migrates: false };
    const database = await openServer(model, settings);
    onTestFinished(() => database.close());
    let said: unknown;
    database
      .snapshot((query) => sql`select pg_sleep(600) from challenge_templates`.execute(query))
      .catch((error) => {
        said = explainStartError(error);
      });
    const isReading = `select count(*) = 1 as answer from pg_stat_activity
      where datname = '${name}' and wait_event = 'PgSleep'`;
    await eventually(() => answerOf(pair.standby, isReading));
    await eventually(async () => {
      await answerOf(pair.primary, 'update challenge_templates set title = title', name);
      await answerOf(pair.primary, 'vacuum challenge_templates', name);
      return said;
    });
    expect(said).toMatch(/conflict with recovery.+ max_standby_streaming_delay .+ hot_standby_feedback/);
  });
});
