import { type Clock, isoOf } from '../../base/clock.js';
import { invalid, missing } from '../../base/errors.js';
import { type Caller, mayRead } from '../../base/scopes.js';
import { rowId } from '../../base/validation.js';
import type { Database } from '../../database/database.js';
import { digestOf } from '../account/secret.js';
import type { CreateHabitInput } from '../habits/task.input.js';
import type { TaskRow } from '../habits/task.queries.js';
import type { TaskService } from '../habits/task.service.js';
import type { TaskDaysService } from '../history/calendar/task-days.service.js';
import { type CompletionService, foundBy } from '../history/completions/completion.service.js';
import type { CompletionRow } from '../history/completions/completion-list.queries.js';
import type { PauseService } from '../history/pauses/pause.service.js';
import type { UserDaysService } from '../history/streaks/user-days.service.js';
import { type Day, daysAfter } from '../schedules/day.js';
import type { AgentReads } from './agent-reads.service.js';
import type { CompleteArgs, CreationArgs, SkipArgs, UndoArgs } from './agents.input.js';
import { type LastRecorded, lastRecorded } from './agents.queries.js';
import { completionShape, habitShape } from './answers.js';
import type { HabitNames } from './habit-names.js';
import { agentLimits } from './limits.js';

interface Needs {
  tasks: TaskService;
  days: UserDaysService;
  taskDays: TaskDaysService;
  completions: CompletionService;
  pauses: PauseService;
}

/** Who asks, and with which scopes. */
export type Asking = Pick<Caller, 'userId' | 'scopes'>;

interface Wanted {
  taskId: number;
  day: Day;
  amount: number | null;
}

interface Became {
  isRepeated: boolean;
  once: boolean;
  task?: TaskRow;
}

/** Changes things for agents, so that a call that is repeated does no harm. */
export class AgentWrites {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly names: HabitNames,
    private readonly reads: AgentReads,
    private readonly needs: Needs,
  ) {}

  /**
   * Without a key, what was recorded within two minutes, of the same habit, day and amount, is taken for the same call.
   * The key is then made from whatever was recorded last: calls at the same instant, on any process, make the same one.
   */
  async complete(who: Asking, input: CompleteArgs) {
    const { userId } = who;
    const task = await this.names.find(userId, input.habit, mayRead(who));
    const { day, at } = await this.instantOn(userId, input.day ?? 'today');
    const { amount = null, note = null, key = null } = input;
    const once = input.once === true;
    const wanted = { taskId: task.id, day, amount };
    const last = key === null ? await this.lastOf(userId, wanted) : undefined;
    if (last && this.isRecent(last)) {
      const found = await this.needs.completions.find(userId, last.id);
      if (found) return this.completed(who, found, { isRepeated: true, once });
    }
    const idempotencyKey = key ?? keyBehind(wanted, last);
    const done = await this.needs.completions.complete(userId, {
      ...{ taskId: task.id, at, amount, note, idempotencyKey, once },
    });
    const { completion, isReplayed: isRepeated } = done;
    return this.completed(who, completion, { isRepeated, once, task: done.task });
  }

  /** A completion, or the last one of a habit today. */
  async undo(who: Asking, { completionId, habit }: UndoArgs) {
    if ((completionId == null) === (habit == null))
      throw invalid('Give either the id of a completion or a habit', 'completionId');
    const id = completionId == null ? await this.lastToday(who, habit ?? '') : rowId(completionId);
    const undone = await this.needs.completions.undo(who.userId, id);
    const message = `Taken back: ${undone.day} is as if it had never been recorded.`;
    return { message, undone: completionShape(undone), ...(await this.standing(who, undone.taskId)) };
  }

  async skip(who: Asking, input: SkipArgs) {
    const { userId } = who;
    const { id: taskId } = await this.names.find(userId, input.habit, mayRead(who));
    const { today } = await this.needs.days.of(userId);
    const date = dayIn(input.day ?? 'today', today);
    const isSkipped = input.takeBack !== true;
    if (isSkipped) await this.needs.pauses.skip(userId, { taskId, date, note: input.note });
    else await this.needs.pauses.unskip(userId, { taskId, date });
    const message = isSkipped ? `${date} is skipped: it breaks no streak.` : `${date} is not skipped.`;
    return { message, day: date, isSkipped, ...(await this.standing(who, taskId)) };
  }

  async createHabit(who: Asking, input: CreateHabitInput, { key = null }: CreationArgs) {
    const { task, isReplayed } = await this.needs.tasks.create(who.userId, input, key);
    const message = isReplayed ? 'It was made with this key before: nothing was made again.' : 'It is made.';
    return { message, isRepeated: isReplayed, ...(await this.standing(who, task.id, task)) };
  }

  private async completed(who: Asking, row: CompletionRow, { isRepeated, once, task }: Became) {
    const leftOut = once ? ', without `once`' : '';
    const message = isRepeated
      ? `It was recorded already, at ${isoOf(row.recordedAt)}: nothing is counted again. If it was done once more, send a key of its own${leftOut}.`
      : `Recorded for ${row.day}.`;
    const completion = completionShape(isRepeated ? foundBy(who, row) : row);
    return { message, isRepeated, completion, ...(await this.standing(who, row.taskId, task)) };
  }

  /** A token without READ is told which habit it was, and not how it stands. */
  private async standing(who: Asking, taskId: number, known?: TaskRow) {
    const task = known ?? (await this.needs.tasks.get(who.userId, taskId));
    const [stands] = mayRead(who) ? (await this.reads.standings(who.userId, [task])).habits : [];
    const { today = null, streak = null } = stands ?? {};
    return { habit: habitShape(task), today, streak };
  }

  private async lastToday(who: Asking, habit: string | number): Promise<number> {
    const { id } = await this.names.find(who.userId, habit, mayRead(who));
    const { todays } = await this.needs.taskDays.of(who.userId, { streaks: [], todays: [id] });
    const last = todays.get(id)?.lastCompletionId ?? null;
    if (last === null) throw missing('Completion of today');
    return last;
  }

  private async lastOf(userId: string, wanted: Wanted): Promise<LastRecorded | undefined> {
    const [last] = await this.database.run(lastRecorded, { userId, ...wanted });
    return last;
  }

  private isRecent({ recordedAt }: LastRecorded): boolean {
    return this.clock.now().getTime() - recordedAt.getTime() < agentLimits.repeatedSeconds * 1_000;
  }

  /** Now, or the last instant of a day that is over. */
  private async instantOn(userId: string, day: string): Promise<{ day: Day; at: Date }> {
    const now = this.clock.now();
    const { today, daysOf } = await this.needs.days.of(userId, { instants: [now] });
    const present = daysOf.get(now.getTime()) ?? today;
    const wanted = dayIn(day, present);
    if (wanted === present) return { day: present, at: now };
    if (wanted > present)
      throw invalid(`${wanted} has not begun: for this user it is ${present}`, 'day', 'IN_FUTURE');
    const before = daysAfter(wanted, -1);
    const { endOf } = await this.needs.days.of(userId, { lastDays: [before] });
    return { day: wanted, at: new Date((endOf.get(before)?.getTime() ?? 0) - 1) };
  }
}

const dayIn = (day: string, today: Day): Day =>
  day === 'today' ? today : day === 'yesterday' ? daysAfter(today, -1) : day;

/** The key of the next completion behind the last one, so that whatever is recorded or taken back makes another. */
const keyBehind = ({ taskId, day, amount }: Wanted, last: LastRecorded | undefined): string =>
  `agent:${digestOf(JSON.stringify([taskId, day, amount, last?.id ?? null]))}`;
