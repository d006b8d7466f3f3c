import { invalid } from '../../base/errors.js';
import { isEveryDay, type StoredSchedule, scheduleOf } from './schedule.js';
import { isLimit, type StoredTarget } from './target.js';

type PartOfTask = 'schedule' | 'target' | 'challengeTemplateId';

/** Refuses a task that is made, changed or imported if its parts do not go together, at a part that was given. */
export function assertFit(
  task: StoredSchedule & StoredTarget & { challengeTemplateId?: number | null | undefined },
  given: Partial<Record<PartOfTask, unknown>>,
): void {
  const refuseIf = (isWrong: boolean, message: string, first: PartOfTask, second: PartOfTask) => {
    if (isWrong) throw invalid(message, given[first] == null ? second : first);
  };
  const schedule = scheduleOf(task);
  refuseIf(
    task.targetPeriod !== null && !isEveryDay(schedule),
    'A target of a week or month goes with the schedule of every day',
    'target',
    'schedule',
  );
  if (!isLimit(task)) return;
  refuseIf(
    schedule.kind !== 'weekdays',
    'A limit must be due every day or on weekdays; it cannot have an interval or a number of times',
    'schedule',
    'target',
  );
  refuseIf(
    typeof task.challengeTemplateId === 'number',
    'A limit cannot be part of a challenge',
    'challengeTemplateId',
    'target',
  );
}
