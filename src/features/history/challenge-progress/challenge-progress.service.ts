import type { Database } from '../../../database/database.js';
import type { Challenge } from '../../challenges/challenge.entity.js';
import { type Day, daysBetween } from '../../schedules/day.js';
import type { CompletionTables } from '../completions/completion-list.queries.js';
import type { UserDaysService } from '../streaks/user-days.service.js';
import { keptDays, selectLinked } from './challenge-progress.queries.js';

/** The progress of a challenge. It is derived and advisory: a challenge can always be ended. */
export interface Progress {
  isTracked: boolean;
  firstDay: Day;
  daysTotal: number;
  daysElapsed: number;
  daysDone: number;
  isOver: boolean;
}

export class ChallengeProgressService {
  constructor(
    private readonly database: Database,
    private readonly days: UserDaysService,
  ) {}

  /**
   * The progress of each challenge, in order. The number of statements does not grow with the number of challenges.
   */
  async ofEach(userId: string, challenges: Challenge[]): Promise<Progress[]> {
    const query = this.database.query<CompletionTables>();
    const { today } = await this.days.of(userId);
    const { tasks, taskIds, firstDays, durations } = await selectLinked(query, userId, challenges);
    const [first = today] = [...firstDays.values()].sort();
    const kept = await keptDays(query, userId, { tasks, first, today }, (bytes) =>
      this.database.noteRead(bytes),
    );
    const daysOfTask = Map.groupBy(kept, ({ taskId }) => taskId);
    return challenges.map((challenge) => {
      const firstDay = firstDays.get(challenge.id) ?? today; // of one that is gone by now
      const daysTotal = durations.get(challenge.templateId) ?? 0;
      const day = daysBetween(firstDay, today) + 1;
      const isOfIt = (each: Day) => each >= firstDay && daysBetween(firstDay, each) < daysTotal;
      const linked = taskIds.get(challenge.id) ?? [];
      const done = linked.flatMap((id) => (daysOfTask.get(id) ?? []).map((each) => each.day)).filter(isOfIt);
      return {
        isTracked: linked.length > 0,
        firstDay,
        daysTotal,
        daysElapsed: Math.min(Math.max(day, 1), daysTotal),
        daysDone: new Set(done).size,
        isOver: day > daysTotal,
      };
    });
  }
}
