import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../../base/clock.js';
import type { Config } from '../../../base/config.js';
import { invalid, limitReached, missing } from '../../../base/errors.js';
import { written } from '../../../base/validation.js';
import type { Database } from '../../../database/database.js';
import { setUserDays } from '../../account/account.queries.js';
import type { AccountService } from '../../account/account.service.js';
import { announceChange, type EventKind, type Ids } from '../../account/progress.announcement.js';
import { UUID } from '../../account/tokens.js';
import { selectTasks, type TaskRow } from '../../habits/task.queries.js';
import type { TaskService } from '../../habits/task.service.js';
import { type Day, daysAfter } from '../../schedules/day.js';
import { recountAllTasks, recountTasks, recountUser } from '../../schedules/recount-runs.js';
import { historyLimits } from '../limits.js';
import type { UserDaysService } from '../streaks/user-days.service.js';
import { topics } from '../topics.js';
import type { CreatePauseInput, SkipDayArgs, UnskipDayArgs, UpdatePauseInput } from './pause.input.js';
import {
  countSkips,
  deletePause,
  deleteSkip,
  insertPause,
  type PauseRow,
  pauses,
  type RestTables,
  selectOverlapping,
  selectPauses,
  updatePause,
  upsertSkip,
} from './pause.queries.js';

type Query = Kysely<RestTables>;

/** Whose days have changed, of one task or of all, and what is told of it. */
interface Rest {
  taskId: number | null;
  kind: EventKind;
  ids: Pick<Ids, 'day' | 'pauseId'>;
}

const HOUR = 3_600_000;

/** Days on which nothing is asked for: skips of a task, and pauses of one or of all. */
export class PauseService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly accounts: AccountService,
    private readonly tasks: TaskService,
    private readonly days: UserDaysService,
    private readonly settings: Pick<Config, 'backdateHours'>,
  ) {}

  /** Again: changes the note, if one is given. */
  async skip(userId: string, { taskId, date, note }: SkipDayArgs): Promise<TaskRow> {
    await this.refuseUnlessNear(userId, date, 'date');
    return this.changeOf(userId, { taskId, kind: 'DAY_SKIPPED', ids: { day: date } }, async (query) => {
      await upsertSkip(query, { userId, taskId, day: date, note });
      if ((await countSkips(query, { userId, taskId })) > historyLimits.skips) throw tooManySkips();
    });
  }

  /** A day that is not skipped gives the same answer. */
  async unskip(userId: string, { taskId, date }: UnskipDayArgs): Promise<TaskRow> {
    await this.refuseUnlessNear(userId, date, 'date');
    return this.changeOf(userId, { taskId, kind: 'DAY_UNSKIPPED', ids: { day: date } }, (query) =>
      deleteSkip(query, { userId, taskId, day: date }),
    );
  }

  async create(
    userId: string,
    { taskId = null, from, until = null, note = null }: CreatePauseInput,
  ): Promise<PauseRow> {
    await this.refuseUnlessNear(userId, from, 'from');
    const pause = { id: randomUUID(), userId, taskId, firstDay: from, lastDay: until, note };
    assertOrder(pause);
    await this.change(userId, { taskId, kind: 'PAUSE_BEGUN', ids: { pauseId: pause.id } }, async (query) => {
      await refuseOverlap(query, pause);
      const { rows } = await insertPause(query, pause, historyLimits.pauses);
      if (rows.length === 0) throw tooManyPauses();
    });
    return pause;
  }

  /** What a pause has begun with stays near: days that are over long ago are neither paused nor asked for any more. */
  async update(userId: string, id: string, { from, until, note }: UpdatePauseInput): Promise<PauseRow> {
    if (from !== undefined) await this.refuseUnlessNear(userId, from, 'from');
    return this.changePause('PAUSE_CHANGED', { userId, id }, async (query, found) => {
      const pause = {
        ...found,
        firstDay: from ?? found.firstDay,
        lastDay: until === undefined ? found.lastDay : until,
        note: note === undefined ? found.note : note,
      };
      assertOrder(pause);
      await refuseOverlap(query, pause);
      await updatePause(query, pause);
      return pause;
    });
  }

  async delete(userId: string, id: string): Promise<void> {
    await this.changePause('PAUSE_ENDED', { userId, id }, (query) => deletePause(query, { userId, id }));
  }

  /** Null for one that is none of the user's, or gone. */
  async findEach(userId: string, ids: readonly string[]): Promise<(PauseRow | null)[]> {
    const found = await selectPauses(this.database.query<RestTables>(), userId)
      .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
      .execute();
    const byId = new Map(found.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id) ?? null);
  }

  private async changePause<Changed>(
    kind: EventKind,
    { userId, id }: { userId: string; id: string },
    work: (query: Query, found: PauseRow) => Promise<Changed>,
  ): Promise<Changed> {
    const [known] = await this.find(this.database.query(), userId, id);
    if (!known) throw missing('Pause');
    let changed: Changed | undefined;
    await this.change(userId, { taskId: known.taskId, kind, ids: { pauseId: id } }, async (query) => {
      const [found] = await this.find(query, userId, id);
      if (!found) throw missing('Pause');
      changed = await work(query, found);
    });
    return changed as Changed;
  }

  ofUser(userId: string): Promise<PauseRow[]> {
    return this.database.run(pauses.ofAll, { userId });
  }

  ofTasks(userId: string, ids: number[]): Promise<PauseRow[]> {
    return this.database.run(pauses.ofTasks, { userId, ids });
  }

  /** Changes which days are neutral, of a task or of all and the user, and reads the history anew. */
  private async change(userId: string, rest: Rest, work: (query: Query) => Promise<unknown>): Promise<void> {
    const { taskId } = rest;
    const change = () => this.changeInTransaction(userId, rest, work);
    const isDone = await (taskId === null ? this.database.changeOfWholeAccount(userId, change) : change());
    if (!isDone && taskId !== null) await this.tasks.refuse(taskId, 'taskId');
    topics.daysChanged.publish(userId);
  }

  private changeInTransaction(
    userId: string,
    { taskId, kind, ids }: Rest,
    work: (query: Query) => Promise<unknown>,
  ): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const query = tx.getKysely<RestTables>();
      await this.accounts.lock(query, userId);
      if (taskId !== null && !(await taskById(query, userId, taskId))) return false;
      await work(query);
      if (taskId === null) {
        await setUserDays(query, userId, {}); // keeps the run of the user's days, which a pause concerns, by itself
        await recountUser(query, userId);
        await recountAllTasks(query, userId);
      } else await recountTasks(query, userId, [taskId]);
      const tasks: Ids = taskId === null ? { changedAll: true } : { taskId };
      await announceChange(query, { kind, userId, at: this.clock.now(), ids: { ...tasks, ...ids } });
      return true;
    });
  }

  private async changeOf(
    userId: string,
    rest: Rest & { taskId: number },
    work: (query: Query) => Promise<unknown>,
  ): Promise<TaskRow> {
    await this.change(userId, rest, work);
    return (await this.tasks.find(userId, rest.taskId)) ?? this.tasks.refuse(rest.taskId, 'taskId');
  }

  private async refuseUnlessNear(userId: string, day: Day, field: string): Promise<void> {
    const earliest = new Date(this.clock.now().getTime() - this.settings.backdateHours * HOUR);
    const { today, daysOf } = await this.days.of(userId, { instants: [earliest] });
    const first = daysOf.get(earliest.getTime()) ?? today;
    if (day < first) throw invalid(`A day before ${first} can no longer be changed`, field, 'TOO_LONG_AGO');
    const last = daysAfter(today, historyLimits.daysAhead);
    if (day > last)
      throw invalid(`A day can be at most ${historyLimits.daysAhead} days ahead`, field, 'IN_FUTURE');
  }

  private find(query: Query, userId: string, id: string): Promise<PauseRow[]> {
    return UUID.test(id) ? selectPauses(query, userId).where('id', '=', id).execute() : Promise.resolve([]);
  }
}

export const tooManyPauses = () =>
  limitReached(`There can be at most ${written(historyLimits.pauses)} pauses of one task, and of everything`);

export const tooManySkips = () =>
  limitReached(`A task can have at most ${written(historyLimits.skips)} skipped days`, 'date');

const taskById = (query: Query, userId: string, id: number) =>
  selectTasks(query, { userId }).where('id', '=', id).executeTakeFirst();

function assertOrder({ firstDay, lastDay }: PauseRow): void {
  if (lastDay !== null && lastDay < firstDay) throw invalid('`until` must not be before `from`', 'until');
}

async function refuseOverlap(query: Query, pause: PauseRow): Promise<void> {
  const [other] = await selectOverlapping(query, pause).limit(1).execute();
  if (!other) return;
  const until = other.lastDay === null ? 'on' : `to ${other.lastDay}`;
  throw invalid(`There is a pause from ${other.firstDay} ${until} already`, 'from', 'PAUSE_OVERLAPS');
}
