import { between, whole } from '../../base/validation.js';
import { challengeLimits } from './limits.js';

export const DurationDays = () => {
  const bounds = { min: 1, max: challengeLimits.durationDays };
  return whole('durationDays', bounds, `a whole number of days ${between(bounds)}`);
};
