import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { eventually } from './eventually.js';
import { clusterHome, copyCluster, newCluster, serverOn } from './server.js';

type Server = Awaited<ReturnType<typeof serverOn>>;

/** A primary, and a server that follows its WAL. */
export type Pair = Awaited<ReturnType<typeof startPair>>;

/** The standby is a copy of the cluster as it was before its first start, so that it needs no tool to make it. */
export async function startPair({ isSynchronous = false, standbySettings = {} } = {}) {
  const home = clusterHome();
  const data = { primary: path.join(home, 'primary'), standby: path.join(home, 'standby') };
  newCluster(data.primary);
  copyCluster(data.primary, data.standby);
  const primary = await serverOn(data.primary, {
    wal_keep_size: '1GB',
    ...(isSynchronous && { synchronous_standby_names: '*' }),
  });
  follow(data.standby, primary);
  const standby = await serverOn(data.standby, { wal_retrieve_retry_interval: '100ms', ...standbySettings });
  /** Resolves once the standby has all that the primary has by now. */
  const untilCaughtUp = async () => {
    const now = await answerOf(primary, 'select pg_current_wal_flush_lsn() as answer');
    await eventually(() => answerOf(standby, `select pg_last_wal_replay_lsn() >= '${now}' as answer`));
  };
  /** From now on nothing of what the primary writes reaches the standby. */
  const cutOff = async () => {
    await standby.execute("alter system set primary_conninfo = ''");
    await standby.execute('select pg_reload_conf()');
    await eventually(() => answerOf(primary, 'select count(*) = 0 as answer from pg_stat_replication'));
  };
  await untilCaughtUp();
  return {
    primary,
    standby,
    untilCaughtUp,
    cutOff,
    /** Makes the standby the primary. Resolves once it takes writes. */
    promote: () => standby.execute('select pg_promote()'),
    /** From its next start on, the old primary is a standby of the other. */
    demote: () => follow(data.primary, standby),
    stop: async () => {
      await Promise.all([primary, standby].map((each) => each.halt('immediate')));
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function follow(data: string, { port }: Server): void {
  writeFileSync(path.join(data, 'standby.signal'), '');
  const address = `host=127.0.0.1 port=${port} user=postgres`;
  writeFileSync(path.join(data, 'postgresql.auto.conf'), `primary_conninfo = '${address}'\n`);
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export async function answerOf(server: Server, statement: string, database = 'postgres'): Promise<any> {
  const client = new pg.Client(server.url(database));
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query(statement).finally(() => client.end());
  return rows[0]?.answer;
}
