import type { Database } from '../../database/database.js';
import { type ReminderInput, timeOf } from '../habits/reminder.input.js';
import { weekdaysIn } from '../schedules/schedule.js';
import { reminderOfDay, remindersOfTasks } from './reminder.queries.js';

/** A reminder as it is shown. */
export type ShownReminder = Required<ReminderInput> & { weekdays: NonNullable<ReminderInput['weekdays']> };

export class ReminderService {
  constructor(private readonly database: Database) {}

  /** In the order of the ids; each sorted. */
  async ofTasks(userId: string, ids: readonly number[]): Promise<ShownReminder[][]> {
    const rows = await this.database.run(remindersOfTasks, { userId, ids: [...new Set(ids)] });
    return ids.map((id) =>
      rows.flatMap(({ taskId, minute, weekdays }) =>
        taskId === id ? { at: timeOf(minute), weekdays: weekdaysIn(weekdays) } : [],
      ),
    );
  }

  async ofDay(userId: string): Promise<string | null> {
    const [found] = await this.database.run(reminderOfDay, { userId });
    return found ? timeOf(found.minute) : null;
  }
}
