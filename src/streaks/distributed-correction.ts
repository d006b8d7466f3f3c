import { type Kysely, type RawBuilder, sql } from 'kysely';
import { auditedAndAnnounced, type JobRun, type JobTables } from './correction.queries.js';
import { correctedBy, faultsOn } from './streak.js';

// Citus has to bring rows of several nodes together before it can limit or lock them. A range of ids it hands to all
// nodes at once instead.

/** Rows per commit: few enough that no completion waits noticeably, many enough to be worth a commit on all nodes. */
const GOAL = 2_000;

/** Ids are told apart by their first 32 bits; they are random. */
const ALL = 2 ** 32;

/** Narrow at first: even of a hundred million users who all need it, these are 1,500. */
const FIRST_SPAN = 2 ** 16;

export async function correctByRange(query: Kysely<JobTables>, run: JobRun): Promise<number> {
  let total = 0;
  let span = FIRST_SPAN;
  for (const fault of faultsOn(run.day)) {
    for (let from = 0; from < ALL; ) {
      const to = Math.min(from + span, ALL);
      const corrected = await correctRange(query, run, { fault, from, to });
      total += corrected;
      span = nextSpan(span, corrected);
      from = to;
    }
  }
  return total;
}

export const nextSpan = (span: number, corrected: number): number => {
  const factor = Math.min(4, Math.max(1 / 4, GOAL / Math.max(corrected, 1)));
  return Math.min(ALL, Math.max(1, Math.round(span * factor)));
};

interface Range {
  fault: RawBuilder<unknown>;
  from: number;
  /** Not included. */
  to: number;
}

async function correctRange(
  query: Kysely<JobTables>,
  run: JobRun,
  { fault, from, to }: Range,
): Promise<number> {
  const first = `${startOf(from)}-0000-0000-0000-000000000000`;
  const last = `${startOf(to - 1)}-ffff-ffff-ffff-ffffffffffff`;
  const { rows } = await sql<{ corrected: number }>`
    with corrected as (
      update user_progress set ${correctedBy(run.day)}
      where (${fault}) and user_id between ${first}::uuid and ${last}::uuid returning user_id
    ), ${auditedAndAnnounced(run)}
    select corrected, announced.users from counted, announced`.execute(query);
  return rows[0]?.corrected ?? 0;
}

const startOf = (bits: number) => bits.toString(16).padStart(8, '0');
