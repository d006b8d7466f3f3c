import { sql } from 'kysely';
import { type Finding, ok, warning } from '../../base/finding.js';
import { appliedTo } from '../../database/migrations.js';
import type { Examined } from '../../feature.js';
import { countJobs } from '../../jobs/jobs.queries.js';

/** A job that has been due for longer is not only waiting for its turn. */
const LATE_SECONDS = 900;

/** Whether what is to be done beside requests is done. */
export async function jobFinding({ query, clock }: Examined): Promise<Finding[]> {
  if ((await appliedTo(query)).length === 0) return [];
  const { rows } = await sql<{ kind: string }>`
    select distinct kind from jobs where run_at is not null order by kind`.execute(query);
  const kinds = rows.map(({ kind }) => kind);
  const found = await countJobs(query, kinds, clock.now());
  const late = found.filter(({ failed, oldest }) => failed > 0 || oldest > LATE_SECONDS);
  const total = found.reduce((sum, { waiting }) => sum + waiting, 0);
  if (late.length === 0) return [ok(`${total} wait, and none has failed or is late`)];
  const told = late.map(
    ({ kind, waiting, failed, oldest }) =>
      `${kind}: ${waiting} wait, ${failed} of them have failed, the oldest due for ${Math.round(oldest / 60)} min`,
  );
  const fix =
    'Look for their kind in the log: it says why. What no process does waits for a service that runs.';
  return [warning(told.join('; '), fix)];
}
