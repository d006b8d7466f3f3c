import { lacks, violates } from '../database/violations.js';
import { invalid, type Refusal } from '../errors.js';
import { dayOf } from '../streaks/day.js';
import type { CompleteTaskAtInput } from './completion.input.js';
import type { NewCompletion } from './completion.queries.js';

const HOUR = 3_600_000;

/** In milliseconds: how far the clock of a client may be ahead. */
const TOLERATED_AHEAD = 2_000;

/** What was done now, unless the input says when. */
export function newCompletion(userId: string, input: CompleteTaskAtInput, recordedAt: Date): NewCompletion {
  const { taskId, idempotencyKey = null } = input;
  const at = input.at ?? recordedAt;
  return { userId, taskId, at, day: dayOf(at), recordedAt, idempotencyKey };
}

/** Refuses an instant that is in the future, or more than `backdateHours` ago. */
export function refusalOfInstant(
  { at, recordedAt }: NewCompletion,
  backdateHours: number,
): Refusal | undefined {
  const ago = recordedAt.getTime() - at.getTime();
  if (ago < -TOLERATED_AHEAD) return invalid('At must not be in the future', 'at');
  if (ago <= backdateHours * HOUR) return undefined;
  const message =
    backdateHours > 0 ? `At must be at most ${backdateHours} hours ago` : 'At must not be in the past';
  return invalid(message, 'at', 'TOO_LATE');
}

/** Whether the task was put away while its completion was recorded. Nothing was counted. */
export const isPutAway = (error: unknown): boolean => lacks(error, 'task_completions', 'task_id');

export const isKeyUsed = (error: unknown): boolean =>
  violates(error, 'unique', 'task_completions_idempotency_key_unique');
