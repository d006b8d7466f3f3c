import { type Kysely, sql } from 'kysely';
import { ServerError } from '../database/outcome.js';
import { lookAtServer } from '../database/server/look.js';
import { PoolerError } from '../database/server/pooler.js';
import {
  mistakeIn,
  NotReplayed,
  OF_PRIMARY,
  OF_STANDBY,
  type Seen,
  untilReplayed,
} from '../database/server/replication.js';
import { type Finding, ok, warning, wrong } from './finding.js';

const ABOUT = 'standby';

const MEND = 'Set DATABASE_REPLICA_URL to a standby of the primary, or take it away: see docs/standbys.md.';

const seen = async (query: Kysely<unknown>, statement: string) =>
  (await sql<Seen>`${sql.raw(statement)}`.execute(query)).rows[0] as Seen;

/** Of the server of DATABASE_REPLICA_URL, beside the primary. */
export async function standbyFinding(primary: Kysely<unknown>, url: string): Promise<Finding> {
  const { host } = new URL(url);
  try {
    const { query, close } = await lookAtServer(url);
    return await compared(primary, query, host).finally(close);
  } catch (error) {
    if (error instanceof PoolerError) return wrong(ABOUT, `${host} leads to a pooler, not to a server`, MEND);
    if (!(error instanceof ServerError)) throw error;
    const mend =
      'Until it answers, all is read from the primary. Is it up, and does DATABASE_REPLICA_URL name it?';
    return wrong(ABOUT, `${host} cannot be used: ${error.message}`, mend);
  }
}

async function compared(primary: Kysely<unknown>, standby: Kysely<unknown>, host: string): Promise<Finding> {
  const first = await seen(primary, OF_PRIMARY);
  const second = await seen(standby, OF_STANDBY);
  const mistake = mistakeIn(first, second);
  if (mistake) return wrong(ABOUT, mistake, MEND);
  if (!second.isStandby) return wrong(ABOUT, `${host} is none: it takes writes itself`, MEND);
  if (first.isStandby) return warning(ABOUT, `${host} follows a server that is no primary`, 'See above.');
  try {
    await untilReplayed(standby, first);
    return ok(ABOUT, `${host} follows the primary, and has all of it`);
  } catch (error) {
    if (!(error instanceof NotReplayed)) throw error;
    const mend = 'Look at pg_stat_replication on the primary: is it connected, and is its replay paused?';
    return warning(ABOUT, `${host} is ${error.message}`, mend);
  }
}
