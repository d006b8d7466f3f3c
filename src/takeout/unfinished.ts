import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { asRequest, noteUndone } from '../request.js';
import { dayOf } from '../streaks/day.js';
import { isOfImport, removeImported, usersWithUnfinished } from '../tasks/unfinished-import.queries.js';

/** Completions that one statement deletes. */
const CHUNK = 2_000;

/** In milliseconds, until it is tried again. */
const PAUSE = 1_000;

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
    for (const userId of await usersWithUnfinished(this.database.query())) await this.takeBack(userId);
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
    const query = this.database.query();
    for (let deleted = CHUNK; deleted === CHUNK; ) {
      const { rows } = await sql`
        delete from task_completions where user_id = ${userId} and id in (
          select id from task_completions where ${isOfImport(userId, 'task_id')} limit ${CHUNK}
        ) returning id`.execute(query);
      deleted = rows.length;
    }
    await this.database.transaction((tx) => removeImported(tx.getKysely(), userId, dayOf(this.clock.now())));
  }
}
