import { isoOf } from '../../base/clock.js';
import type { TaskRow } from '../habits/task.queries.js';
import type { DayOfTask } from '../history/calendar/calendar.service.js';
import type { Today } from '../history/calendar/task-days.service.js';
import type { CompletionRow } from '../history/completions/completion-list.queries.js';
import type { TrueStreak } from '../history/streaks/streak.js';
import { dayAt } from '../schedules/day.js';
import { shown } from '../schedules/schedule.input.js';
import type { Period } from '../schedules/schedule.js';
import type { Statistics } from '../schedules/statistics.js';
import { targetOf } from '../schedules/target.js';

// What agents are told, in the words of GraphQL: ids are text, instants ISO 8601.

export const habitShape = ({ id, title, archivedAt }: Pick<TaskRow, 'id' | 'title' | 'archivedAt'>) => ({
  id: String(id),
  title,
  isArchived: archivedAt !== null,
});

export const goalShape = (task: TaskRow) => ({ schedule: shown(task), target: targetOf(task) });

export const streakShape = ({ unit, count, longest, doneToday, atRisk, aliveUntil }: TrueStreak) => ({
  ...{ unit, count, longest, doneToday, atRisk },
  aliveUntil: aliveUntil && isoOf(aliveUntil),
});

export const todayShape = (today: Today, nextDueOn: string | null) => {
  const { date, state, isDue, isOpen, isKept, remaining, completionCount, lastCompletionId } = today;
  const hasTarget = remaining !== null;
  return {
    ...{ date, state, isDue, isOpen, isKept, completionCount },
    amount: hasTarget ? today.amount : null,
    periodAmount: hasTarget ? today.periodAmount : null,
    remaining,
    lastCompletionId: lastCompletionId === null ? null : String(lastCompletionId),
    nextDueOn,
  };
};

export const completionShape = ({
  id,
  day,
  completedAt,
  recordedAt,
  amount,
  note,
  points,
}: CompletionRow) => ({
  id: String(id),
  day,
  completedAt: isoOf(completedAt),
  recordedAt: isoOf(recordedAt),
  ...{ amount, note, points },
});

export const dayShape = ({ date, state, isDue, completionCount, amount, streakEffect }: DayOfTask) => ({
  ...{ date, state, isDue, completionCount, amount, streakEffect },
});

export const statisticsShape = (statistics: Statistics, by: Period | null) => {
  const { dueDays, keptDays, missedDays, neutralDays, completionCount, points, amount, rate, byWeekday } =
    statistics;
  const periods = by && statistics.by(by);
  return {
    ...{ dueDays, keptDays, missedDays, neutralDays, completionCount, points, amount, rate, byWeekday },
    periods: periods?.map(({ from, to, ...sums }) => ({ from: dayAt(from), to: dayAt(to), ...sums })) ?? null,
  };
};
