import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';

/** What tells a server that follows another from a stranger, and how far it is. */
export interface Seen {
  cluster: string;
  database: string;
  /** In bytes of WAL: what the primary has answered for, or what a standby has replayed. */
  position: string;
  isStandby: boolean;
}

/** Servers that follow one another have the same identifier. */
const IDENTITY = `(select system_identifier from pg_control_system())::text as cluster, current_database() as database`;

/** A standby would refuse to say. Without synchronous commits it answers for more than it has flushed. */
export const OF_PRIMARY = `
  select ${IDENTITY}, pg_is_in_recovery() as "isStandby",
    (case when pg_is_in_recovery() then null
      when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
      else pg_current_wal_flush_lsn() end - '0/0'::pg_lsn)::text as position`;

const REPLAYED = `(pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::text`;

export const OF_STANDBY = `select ${IDENTITY}, pg_is_in_recovery() as "isStandby", ${REPLAYED} as position`;

/** In milliseconds: how long is waited for what must be found on a standby, and how often it is looked for. */
export const WAIT = { longest: 500, between: 10 };

export class NotReplayed extends Error {}

/** Resolves once the standby has what the primary had when it was seen. */
export async function untilReplayed(standby: Kysely<unknown>, primary: Seen): Promise<void> {
  const giveUpAt = performance.now() + WAIT.longest;
  for (;;) {
    const { rows } = await sql<{ position: string }>`select ${sql.raw(REPLAYED)} as position`.execute(
      standby,
    );
    const missing = Number(primary.position) - Number(rows[0]?.position);
    if (missing <= 0) return;
    if (performance.now() > giveUpAt) throw new NotReplayed(`${missing} bytes of WAL behind`);
    await delay(WAIT.between);
  }
}

/** One line for the operator. */
export function mistakeIn(primary: Seen, standby: Seen): string | undefined {
  if (primary.cluster !== standby.cluster) {
    return 'DATABASE_REPLICA_URL names a server of another cluster: it is no standby of that of DATABASE_URL.';
  }
  if (primary.database === standby.database) return undefined;
  return `DATABASE_REPLICA_URL names the database ${standby.database}, and DATABASE_URL ${primary.database}: name the same.`;
}
