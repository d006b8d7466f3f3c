import { type Kysely, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import { announceToAll } from '../database/announcements/announcements.js';
import type { Job } from './job.entity.js';

/** A job that this process has taken. */
export type Taken<Payload> = Pick<
  Job<Payload>,
  'id' | 'key' | 'userId' | 'lane' | 'payload' | 'createdAt' | 'attempts'
>;

/** The topic that wakes who carries out jobs of a kind. */
export const topicOf = (kind: string) => `jobs: ${kind}`;

export interface NewJob {
  id: string;
  kind: string;
  key: string;
  userId: string | null;
  lane: string;
  payload: object;
  now: Date;
}

/** For the transaction that causes the job: it is done once that is committed, or never. */
export async function insertJob(query: QueryExecutorProvider, job: NewJob): Promise<void> {
  const { id, kind, key, userId, lane, payload, now } = job;
  await sql`
    with job as (
      insert into jobs (id, kind, key, user_id, lane, payload, created_at, run_at)
      values (${id}::uuid, ${kind}, ${key}, ${userId}::uuid, ${lane}, ${JSON.stringify(payload)}::jsonb,
        ${now}::timestamptz, ${now}::timestamptz)
      returning id
    )
    select ${announceToAll(topicOf(kind), sql`id`, sql`null`)} from job`.execute(query);
}

interface Asked {
  kind: string;
  now: Date;
  /** Another process may take what is not done by then. */
  leaseUntil: Date;
  /** What was made earlier is not done any more. */
  since: Date;
  /** Lanes with so much under way that theirs wait. */
  busy: readonly string[];
  /** Users in a lane, as `ownerOf` calls them, whose jobs wait. */
  waiting: readonly string[];
  /** Users whose jobs wait in every lane. */
  waitingInAll: readonly string[];
  /** Of one user in one lane. */
  ofUser: number;
  most: number;
  /** Whether anything of this kind is to be done at all. */
  mayRun: RawBuilder<unknown>;
  /** Of a row of `jobs`. Null and false: not now. */
  isReady: RawBuilder<unknown>;
  /** A lane is for one process at a time. */
  isAlone: boolean;
}

export const ownerOf = ({ lane, userId }: Pick<Job, 'lane' | 'userId'>) => `${lane} ${userId}`;

/** Lanes in which something waits, each found by one step in the index however much waits in one of them. */
const lanesWith = (kind: string) => sql`
  (select lane from jobs where kind = ${kind} and run_at is not null order by lane limit 1)
  union all
  select (
    select jobs.lane from jobs where kind = ${kind} and run_at is not null and jobs.lane > lanes.lane
    order by jobs.lane limit 1
  ) from lanes where lanes.lane is not null`;

/**
 * Takes jobs, the oldest of each lane first, and few of one user. The conditions on a job are one expression, of which
 * the planner expects that half fulfil it: so it walks the queue of each lane by the index, and only until there is
 * enough.
 */
const claimFrom = <Payload>(query: QueryExecutorProvider, asked: Asked) => {
  const {
    kind,
    now,
    leaseUntil,
    since,
    busy,
    waiting,
    waitingInAll,
    ofUser,
    most,
    mayRun,
    isReady,
    isAlone,
  } = asked;
  const isFree = sql`not exists (
    select from jobs other where other.kind = ${kind} and other.lane = lanes.lane
      and other.run_at > ${now}::timestamptz and other.is_held
  )`;
  return sql<Taken<Payload>>`
    with recursive lanes as (${lanesWith(kind)}), next as (
      select found.id from lanes cross join lateral (
        select oldest.*, row_number() over (partition by user_id order by run_at) as of_user from (
          select jobs.id, jobs.user_id, jobs.run_at from jobs
          where jobs.kind = ${kind} and jobs.lane = lanes.lane and jobs.run_at <= ${now}::timestamptz
            and coalesce(
              case when jobs.lane || ' ' || jobs.user_id = any(${waiting}::text[])
                or jobs.user_id = any(${waitingInAll}::uuid[]) or jobs.created_at <= ${since}::timestamptz then false end,
              ${isReady}
            )
          order by jobs.run_at limit ${most} for update skip locked
        ) oldest
      ) found
      where (of_user <= ${ofUser} or user_id is null) and lanes.lane <> all(${busy}::text[])
        and ${isAlone ? isFree : sql`true`} and ${mayRun}
      order by found.run_at limit ${most}
    )
    update jobs set attempts = attempts + 1, is_held = true, run_at = ${leaseUntil}::timestamptz
    from next where jobs.id = next.id
    returning jobs.id, jobs.key, jobs.user_id as "userId", jobs.lane, jobs.payload, jobs.created_at as "createdAt",
      jobs.attempts`.execute(query);
};

const CLAIM_LOCK = 7_783_547;

/**
 * A lane for one process at a time needs a transaction: what another process has taken meanwhile is seen only by a
 * statement that begins under the lock.
 */
export async function claim<Payload>(query: Kysely<unknown>, asked: Asked): Promise<Taken<Payload>[]> {
  if (asked.isAlone) {
    const lock = await sql<{ isOurs: boolean }>`
      select pg_try_advisory_xact_lock(${CLAIM_LOCK}, hashtext(${asked.kind})) as "isOurs"`.execute(query);
    if (!lock.rows[0]?.isOurs) return [];
  }
  return (await claimFrom<Payload>(query, asked)).rows;
}

type Held = Pick<Taken<unknown>, 'id' | 'attempts'>;

/** A taking that is over has another number of attempts. */
const isOurs = ({ id, attempts }: Held) => sql`id = ${id}::uuid and attempts = ${attempts} and is_held`;

/** Whoever else may have it by now: it is done. */
export const deleteJob = (query: QueryExecutorProvider, { id }: Pick<Held, 'id'>) =>
  sql`delete from jobs where id = ${id}::uuid`.execute(query);

/** Unless another process has it. */
export const dropJob = (query: QueryExecutorProvider, job: Held) =>
  sql`delete from jobs where ${isOurs(job)}`.execute(query);

export interface BackOff {
  firstMs: number;
  /** By which each pause is longer than the one before. */
  factor: number;
  longestMs: number;
}

/** Returns when it is tried again; undefined if another process has it, or it is gone. */
export async function tryAgain(
  query: QueryExecutorProvider,
  job: Held,
  { now, backOff, note }: { now: Date; backOff: BackOff; note: object },
): Promise<Date | undefined> {
  const { firstMs, factor, longestMs } = backOff;
  const { rows } = await sql<{ runAt: Date }>`
    update jobs set is_held = false, payload = payload || ${JSON.stringify(note)}::jsonb,
      run_at = ${now}::timestamptz + interval '1 millisecond'
        * least(${firstMs}::float8 * power(${factor}::float8, least(attempts - 1, 30)), ${longestMs}::float8)
    where ${isOurs(job)} returning run_at as "runAt"`.execute(query);
  return rows[0]?.runAt;
}

/** Gives a job back to whoever takes it next, as if it had not been taken. */
export const giveBack = (query: QueryExecutorProvider, job: Held, now: Date, note: object) =>
  sql`
    update jobs set is_held = false, attempts = attempts - 1, run_at = ${now}::timestamptz,
      payload = payload || ${JSON.stringify(note)}::jsonb
    where ${isOurs(job)}`.execute(query);

/** To be called before what the note is of begins. Returns false if the job is another process's now. */
export async function keepNote(
  query: QueryExecutorProvider,
  job: Held,
  { now, note }: { now: Date; note: object },
): Promise<boolean> {
  const { rows } = await sql`
    update jobs set payload = payload || ${JSON.stringify(note)}::jsonb
    where ${isOurs(job)} and run_at > ${now}::timestamptz returning id`.execute(query);
  return rows.length > 0;
}

/**
 * To be called before what may be done once only is done: from then on no process takes it any more. Returns false if
 * another one has taken it meanwhile.
 */
export async function giveUpOthers(query: QueryExecutorProvider, job: Held): Promise<boolean> {
  const { rows } = await sql`
    update jobs set run_at = null where ${isOurs(job)} and run_at is not null returning id`.execute(query);
  return rows.length > 0;
}

/** Those that nobody has taken meanwhile. */
export const renewLeases = (query: QueryExecutorProvider, jobs: readonly Held[], until: Date) =>
  sql`
    update jobs set run_at = ${until}::timestamptz
    from unnest(${jobs.map(({ id }) => id)}::uuid[], ${jobs.map(({ attempts }) => attempts)}::int[])
      as held (id, attempts)
    where jobs.id = held.id and jobs.attempts = held.attempts and is_held and run_at is not null`.execute(
    query,
  );

/** Leaves those that somebody is at. Returns how many there were. */
export async function deleteOld(
  query: QueryExecutorProvider,
  { kind, until, now }: { kind: string; until: Date; now: Date },
): Promise<number> {
  const { rows } = await sql`
    delete from jobs where id = any(array(
      select id from jobs
      where kind = ${kind} and created_at <= ${until}::timestamptz
        and not coalesce(is_held and run_at > ${now}::timestamptz, false)
      limit 5000 for update skip locked
    )) returning id`.execute(query);
  return rows.length;
}

/** For the transaction that deletes the account. */
export const deleteJobsOf = (query: QueryExecutorProvider, userId: string) =>
  sql`delete from jobs where user_id = ${userId}::uuid`.execute(query);

export interface Waiting {
  kind: string;
  waiting: number;
  /** Those of them that have failed, and are tried again. */
  failed: number;
  /** In seconds: how long the oldest has been due. */
  oldest: number;
}

/** Counted up to a bound: nobody needs to know how many hundred thousands there are. */
export async function countJobs(
  query: QueryExecutorProvider,
  kinds: readonly string[],
  now: Date,
): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    select kind, found.* from unnest(${kinds}::text[]) as kind cross join lateral (
      select count(*)::int as waiting, (count(*) filter (where attempts > 0 and not is_held))::int as failed,
        coalesce(greatest(extract(epoch from ${now}::timestamptz - min(run_at)), 0), 0)::float8 as oldest
      from (
        select run_at, attempts, is_held from jobs
        where jobs.kind = kind.kind and run_at is not null order by created_at limit 100000
      ) as next
    ) as found`.execute(query);
  return rows;
}

interface Occurrence {
  id: string;
  kind: string;
  /** By which all processes name it. */
  key: string;
  now: Date;
  /** Whether it is to be done although it has been done already. */
  isAgain: boolean;
}

/**
 * Leaves one job for all processes. It stays when it is done, so that nobody does it again; earlier ones go, whether
 * they were done or not.
 */
export const addOccurrence = (query: QueryExecutorProvider, { id, kind, key, now, isAgain }: Occurrence) =>
  sql`
    with earlier as (
      delete from jobs where kind = ${kind} and key <> ${key} and not coalesce(is_held and run_at > ${now}::timestamptz, false)
    )
    insert into jobs (id, kind, key, lane, payload, created_at, run_at)
    values (${id}::uuid, ${kind}, ${key}, ${kind}, '{}', ${now}::timestamptz, ${now}::timestamptz)
    on conflict (kind, key) do update
      set run_at = excluded.run_at, created_at = excluded.created_at, attempts = 0
      where ${isAgain} and not jobs.is_held`.execute(query);

export const keepDone = (query: QueryExecutorProvider, job: Held) =>
  sql`update jobs set run_at = null, is_held = false where ${isOurs(job)}`.execute(query);
