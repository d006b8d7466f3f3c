import { rule } from '../../base/validation.js';
import { scheduleLimits } from './limits.js';

const pointsProblem = (value: unknown) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
  if (value <= 0) return 'must be greater than zero';
  return value > scheduleLimits.points ? `must be at most ${scheduleLimits.points}` : undefined;
};

export const Points = () =>
  rule('points', { type: 'number', exclusiveMinimum: 0, maximum: scheduleLimits.points }, pointsProblem);

/** What a completion has earned: a record of a limit earns nothing. */
export const EarnedPoints = () =>
  rule('earnedPoints', { type: 'number', minimum: 0, maximum: scheduleLimits.points }, (value) =>
    value === 0 ? undefined : pointsProblem(value),
  );
