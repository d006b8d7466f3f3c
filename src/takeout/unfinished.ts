import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { UnfinishedImport } from '../accounts/unfinished-import.entity.js';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import type { Columns } from '../database/tables.js';
import { asRequest, noteUndone } from '../request.js';
import { type Day, dayOf } from '../streaks/day.js';
import { restoreCounters } from '../tasks/recount.js';
import type { TaskTables } from '../tasks/task.queries.js';

/** Completions that one statement deletes. */
const CHUNK = 2_000;

/** In milliseconds, until it is tried again. */
const PAUSE = 1_000;

type Tables = TaskTables & { unfinished_imports: Columns<UnfinishedImport> };

/** For the transaction that inserts the tasks, before it sets the days: what the account was is kept. */
export const noteUnfinished = (query: Kysely<unknown>, userId: string, ids: readonly number[]) =>
  sql`
    insert into unfinished_imports (user_id, first_task_id, last_task_id, time_zone, day_starts_at)
    select user_id, ${Math.min(...ids)}::bigint, ${Math.max(...ids)}::bigint, time_zone, day_starts_at
    from user_progress where user_id = ${userId}`.execute(query);

/** For the transaction that ends the import. */
export const finished = (query: Kysely<unknown>, userId: string) =>
  sql`delete from unfinished_imports where user_id = ${userId}`.execute(query);

const isOfImport = (userId: string, id: string) => sql`
  user_id = ${userId} and exists (
    select from unfinished_imports
    where user_id = ${userId} and ${sql.ref(id)} between first_task_id and last_task_id
  )`;

/** Leaves the account as it was before: its tasks with all their completions go, and its days are its own again. */
async function removeTasks(query: Kysely<unknown>, userId: string, today: Day): Promise<void> {
  await sql`delete from tasks where ${isOfImport(userId, 'id')}`.execute(query);
  await sql`
    update user_progress set time_zone = before.time_zone, day_starts_at = before.day_starts_at
    from unfinished_imports before
    where user_progress.user_id = ${userId} and before.user_id = ${userId}`.execute(query);
  await restoreCounters(query as Kysely<TaskTables>, userId, today);
  await finished(query, userId);
}

async function usersOf(query: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ userId: string }>`
    select user_id as "userId" from unfinished_imports`.execute(query);
  return rows.map(({ userId }) => userId);
}

/** For a database that has just been restored, in the same transaction: a backup may hold a part of an import. */
export async function removeUnfinished(query: Kysely<unknown>, now: Date): Promise<void> {
  for (const userId of await usersOf(query)) await removeTasks(query, userId, dayOf(now));
}

/** Takes back the imports that broke off. */
export class UnfinishedImports {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    /** In milliseconds: how long each attempt may send statements. */
    private readonly time: number,
  ) {}

  /** Before the process listens: what another one left behind when it was killed. */
  async begin(): Promise<void> {
    if (!this.database.inPieces) return;
    for (const userId of await usersOf(this.database.query())) await this.takeBack(userId);
  }

  /** If it fails, it is tried again and again, and the account's requests wait. */
  async takeBack(userId: string): Promise<void> {
    const attempt = () => asRequest(this.time, () => this.remove(userId), userId);
    try {
      await attempt();
      noteUndone();
    } catch {
      void this.database.inPieces?.(userId, async () => {
        do await sleep(PAUSE, undefined, { ref: false });
        while (
          !(await attempt().then(
            () => true,
            () => false,
          ))
        );
      });
    }
  }

  /** The completions first, in pieces. */
  private async remove(userId: string): Promise<void> {
    const query = this.database.query<Tables>();
    for (let deleted = CHUNK; deleted === CHUNK; ) {
      const { rows } = await sql`
        delete from task_completions where user_id = ${userId} and id in (
          select id from task_completions where ${isOfImport(userId, 'task_id')} limit ${CHUNK}
        ) returning id`.execute(query);
      deleted = rows.length;
    }
    await this.database.transaction((tx) => removeTasks(tx.getKysely(), userId, dayOf(this.clock.now())));
  }
}
