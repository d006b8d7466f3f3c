import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import { fromDatabase } from '../../src/backup/source.js';
import { systemClock } from '../../src/clock.js';
import { openServer, type ServerSettings } from '../../src/database/server/open.js';
import { examine } from '../../src/doctor/examination.js';
import { Verification } from '../../src/tasks/verification.js';
import { Metrics } from '../../src/telemetry/metrics.js';
import { configOf } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/process.js';
import { CLUSTER, startPostgres } from '../support/server.js';
import { answerOf, type Pair, startPair } from '../support/standby.js';
import { SECRET, type TestUser, world } from '../support/world.js';

let pair: Pair;
beforeAll(async () => {
  // A query in the way of what is replayed is cancelled at once.
  pair = await startPair({ standbySettings: { max_standby_streaming_delay: '0' } });
});
afterAll(() => pair.stop());

/** In milliseconds: the longest that a request waits for a standby that does not answer. */
const SOON = 1_500;

async function freshDatabase(): Promise<string> {
  const name = `reads_${randomUUID().replaceAll('-', '')}`;
  await pair.primary.execute(`create database ${name}`);
  await pair.untilCaughtUp();
  return name;
}

interface Chosen {
  maxLag?: number;
  settings?: Partial<ServerSettings>;
}

async function opened(name: string, url: string, { maxLag = 60, settings = {} }: Chosen = {}) {
  const lines: string[] = [];
  const onChange = (line: string) => void lines.push(line);
  const { patience } = configOf().timeouts;
  const database = await openServer(model, {
    url: pair.primary.url(name),
    poolSize: 4,
    patience,
    standby: { url, maxLag, onChange },
    ...settings,
  });
  onTestFinished(() => database.close());
  return { database, lines };
}

/** A service that reads from the standby. */
async function service(chosen?: Chosen) {
  const name = await freshDatabase();
  const { database, lines } = await opened(name, pair.standby.url(name), chosen);
  const there = await world({ database });
  const ana = await there.newUser();
  await pair.untilCaughtUp();
  const isUsed = () => database.standby()?.isUsed === true;
  await eventually(isUsed);
  const onPrimary = (statement: string) => database.orm.em.fork().execute(statement);
  /** As the lists of both faces have it. */
  const titles = async () => {
    const { body } = await ana.rest.get('/api/challenge-templates');
    const { challengeTemplates } = await ana.query('{ challengeTemplates { title } }');
    return [body.at(-1).title, challengeTemplates.at(-1).title];
  };
  const retitle = (title: string) =>
    onPrimary(`update challenge_templates set title = '${title}' where id = 1`);
  return { ...there, name, lines, ana, isUsed, onPrimary, titles, retitle };
}

/** Until then the standby has nothing more of the primary. */
async function holdReplay(): Promise<() => Promise<void>> {
  const resume = () => pair.standby.execute('select pg_wal_replay_resume()');
  onTestFinished(resume);
  await pair.standby.execute('select pg_wal_replay_pause()');
  await eventually(() =>
    answerOf(pair.standby, `select pg_get_wal_replay_pause_state() = 'paused' as answer`),
  );
  return resume;
}

/** What the service did last on each of its connections for reading. */
const lastOnStandby = (name: string): Promise<string[]> =>
  answerOf(
    pair.standby,
    `select coalesce(json_agg(query), '[]') as answer from pg_stat_activity
     where datname = '${name}' and application_name = 'steady reads'`,
  );

/** The other clusters of the tests are copies of one. */
async function startOwnPostgres() {
  const prepared = process.env[CLUSTER];
  delete process.env[CLUSTER];
  try {
    return await startPostgres();
  } finally {
    if (prepared !== undefined) process.env[CLUSTER] = prepared;
  }
}

const exported = async (ana: TestUser) => {
  const json = (await ana.rest.get('/account/export')).body.completions.length;
  const csv = (await ana.rest.get('/account/completions.csv')).text.trim().split('\r\n').length - 1;
  return [json, csv];
};

describe('From a standby', () => {
  it('the list of templates is read as it was; what is of a user never is, and an export has all until now', async () => {
    const { name, ana, isUsed, titles, retitle } = await service();
    const [before] = await titles();
    const resume = await holdReplay();
    await retitle('Anew');
    await eventually(async () => (await titles()).every((title) => title === before)); // which only the standby has
    const swim = await ana.hasTask();
    expect((await ana.rest.get('/api/tasks/me')).body).toMatchObject([{ task: { id: swim.id } }]);
    await ana.completes(swim);
    expect(await ana.profile()).toMatchObject({ points: 10 });
    expect(await exported(ana)).toEqual([1, 1]);
    await eventually(isUsed);
    expect(await lastOnStandby(name)).not.toContain('commit');

    await resume();
    await eventually(async () => (await titles()).every((title) => title === 'Anew'));
    await ana.completes(swim);
    await eventually(async () => {
      expect(await exported(ana)).toEqual([2, 2]);
      return (await lastOnStandby(name)).includes('commit'); // of the one transaction in which an export is read
    });
  });

  it('a new account has its templates before the standby knows of it', async () => {
    const { newUser } = await service();
    await holdReplay();
    const ben = await newUser();
    expect((await ben.rest.get('/api/challenge-templates')).body).toHaveLength(7);
  });

  it('counters are verified, and a backup is made, of all that was there when it began', async () => {
    const { name, database, ana, onPrimary } = await service();
    const driftsOf = async (options: { fix?: boolean }) => {
      const found = [];
      for await (const drift of new Verification(database, systemClock).run(options)) found.push(drift);
      return found.length;
    };
    const resume = await holdReplay();
    await onPrimary(`update user_progress set points = 5 where user_id = '${ana.id}'`);
    await eventually(async () => (await driftsOf({})) === 0);
    expect(await driftsOf({ fix: true })).toBe(1);

    await resume();
    await pair.untilCaughtUp();
    const lines: string[] = [];
    const config = configOf({
      DATABASE_URL: pair.primary.url(name),
      DATABASE_REPLICA_URL: pair.standby.url(name),
    });
    const options = {
      isForCommand: true,
      mayBeInUse: true,
      onStandby: (line: string) => void lines.push(line),
    };
    const read = () =>
      fromDatabase(config, options, async ({ rows }) => {
        const chunk = await rows().next();
        return {
          chunk,
          onStandby: (await lastOnStandby(name)).some((query) => query.includes('from backup')),
        };
      });
    await eventually(async () => (await read()).onStandby);
    await holdReplay();
    await onPrimary('update challenge_templates set updated_at = now()');
    expect(await read()).toMatchObject({ onStandby: false });
  });
});

describe('A standby is left out, and used again,', () => {
  it('when it lags by more than it may', async () => {
    const { database, isUsed, titles, retitle, lines } = await service({ maxLag: 1 });
    const resume = await holdReplay();
    await retitle('Anew');
    await eventually(() => !isUsed());
    const metrics = new Metrics();
    const build = { version: '1', node: 'v24', database: 'server' };
    const others = {
      hearsOthers: () => true,
      passwordsWaiting: () => 0,
      liveOperations: () => ({}),
      lastBackup: undefined,
      probe: async () => {},
    };
    const ofDatabase = { connections: () => undefined, standby: () => database.standby() };
    metrics.read({ build, ...ofDatabase, ...others });
    await eventually(async () => /^steady_standby_lag_seconds [1-9][\d.]*$/m.test(await metrics.text()));
    expect(await metrics.text()).toMatch(/^steady_standby_used 0$/m);
    expect(await titles()).toEqual(['Anew', 'Anew']);
    await resume();
    await eventually(isUsed);
    expect(lines).toContain('The standby lags by more than 1 s: the primary is read instead');
    expect(lines.at(-1)).toBe('The standby is read from');
  });

  it('when it dies, and nobody notices', async () => {
    const { isUsed, titles, ana } = await service();
    await pair.standby.halt('kill');
    for (let count = 0; count < 5; count += 1) {
      expect(await titles()).toHaveLength(2);
      expect(await exported(ana)).toEqual([0, 0]);
    }
    await eventually(() => !isUsed());
    await pair.standby.start();
    await eventually(isUsed);
  });

  it('when it stands still: nobody waits for it long', async () => {
    const { database, isUsed, rest, ana } = await service();
    pair.standby.pause();
    onTestFinished(() => pair.standby.resume());
    const at = performance.now();
    expect((await ana.rest.get('/api/challenge-templates')).status).toBe(200);
    expect(performance.now() - at).toBeLessThan(SOON);
    expect(await exported(ana)).toEqual([0, 0]);
    expect((await rest.get('/health/ready')).status).toBe(200);
    await eventually(() => !isUsed());
    await eventually(() => database.standby()?.lag === undefined);
    pair.standby.resume();
    await eventually(isUsed);
  });

  it('when it cancels what is in the way of its replay: that is read again on the primary', async () => {
    const { database, lines, onPrimary, isUsed } = await service();
    await onPrimary('create table victim as select generate_series(1, 1000) as number');
    await pair.untilCaughtUp();
    const seen: unknown[] = [];
    await eventually(isUsed);
    const count = await database.snapshot(async (query) => {
      const look = async () => {
        const { rows } = await sql<{ isStandby: boolean; count: number }>`
          select pg_is_in_recovery() as "isStandby", count(*)::int from victim`.execute(query);
        return rows[0];
      };
      const isStandby = (await look())?.isStandby;
      seen.push(isStandby);
      if (isStandby) {
        await onPrimary('delete from victim');
        await onPrimary('vacuum victim');
        await pair.untilCaughtUp();
      }
      return (await look())?.count;
    });
    expect({ seen, count }).toEqual({ seen: [true, false], count: 0 });
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^The standby ended a read \(.*conflict with recovery\): the primary is read instead$/,
      ),
    );
    await eventually(isUsed);
  });
});

describe('DATABASE_REPLICA_URL', () => {
  it('names a standby of the same database, else the start ends with one line', async () => {
    const name = await freshDatabase();
    const otherDatabase = `DATABASE_REPLICA_URL names the database postgres, and DATABASE_URL ${name}: name the same.`;
    await expect(opened(name, pair.standby.url('postgres'))).rejects.toThrow(otherDatabase);
    const stranger = await startOwnPostgres();
    onTestFinished(() => stranger.stop());
    const { primary } = pair;
    const environment = {
      DATABASE_URL: primary.url('postgres'),
      DATABASE_REPLICA_URL: stranger.url('postgres'),
    };
    const service = startService({ ...environment, JWT_SECRET: SECRET });
    expect(await service.exited).toBe(1);
    expect(service.output.trim().split('\n').at(-1)).toBe(
      'DATABASE_REPLICA_URL names a server of another cluster: it is no standby of that of DATABASE_URL.',
    );
  });

  it('has no effect on the embedded database, which the service says', () => {
    expect(configOf({ DATABASE_REPLICA_URL: pair.standby.url('a') }).warnings).toContain(
      'DATABASE_REPLICA_URL has no effect without DATABASE_URL: the embedded database has no standby.',
    );
  });

  it('may name the primary for a while, as after a take-over: it is not read, and a line says so', async () => {
    const name = await freshDatabase();
    const { database, lines } = await opened(name, pair.primary.url(name));
    expect(lines).toEqual(['The standby is none: it takes writes itself: the primary is read instead']);
    expect(database.standby()?.isUsed).toBe(false);
  });

  it('may name one that is away at the start', async () => {
    const name = await freshDatabase();
    await pair.standby.halt('kill');
    const { database, lines } = await opened(name, pair.standby.url(name));
    expect(lines).toMatchObject([expect.stringMatching(/^The standby does not answer \(.*ECONNREFUSED.*\)/)]);
    await pair.standby.start();
    await eventually(() => database.standby()?.isUsed);
  });

  it('is looked at by the doctor', async () => {
    const name = await freshDatabase();
    const found = async (url: string) => {
      const DATABASE_URL = pair.primary.url(name);
      const all = await examine(systemClock, { PORT: '1', DATABASE_URL, DATABASE_REPLICA_URL: url });
      return all.filter(({ about }) => about === 'standby').map(({ state, says }) => [state, says]);
    };
    expect(await found(pair.standby.url(name))).toEqual([
      ['ok', expect.stringMatching(/^127\.0\.0\.1:\d+ follows the primary, and has all of it$/)],
    ]);
    expect(await found(pair.primary.url(name))).toEqual([
      ['wrong', expect.stringContaining('takes writes itself')],
    ]);
    expect(await found(pair.standby.url('postgres'))).toEqual([
      ['wrong', expect.stringContaining('name the same')],
    ]);
    const resume = await holdReplay();
    await pair.primary.execute('create table written ()');
    expect(await found(pair.standby.url(name))).toEqual([['warning', expect.stringContaining('behind')]]);
    await resume();
    expect(await found('postgres://nobody@127.0.0.1:1/nowhere')).toEqual([
      ['wrong', expect.stringContaining('cannot be used')],
    ]);
  });
});

describe('A standby that was promoted', () => {
  it('is not read any more', async () => {
    const { isUsed, lines, titles } = await service();
    await pair.promote();
    await eventually(() => !isUsed());
    expect(lines.at(-1)).toBe('The standby is none: it takes writes itself: the primary is read instead');
    expect(await titles()).toHaveLength(2);
  });
});
