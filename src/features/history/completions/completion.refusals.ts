import { invalid } from '../../../base/errors.js';

/** `hours`: how old a completion may be that is recorded now, or taken back. */
export const tooLate = (hours: number) =>
  invalid(
    hours > 0 ? `A completion can be at most ${inWords(hours)} old` : 'A completion cannot lie in the past',
    'at',
    'TOO_LONG_AGO',
  );

export const inTheFuture = (now: Date) =>
  invalid(`A completion cannot lie in the future: here it is ${now.toISOString()}`, 'at', 'IN_FUTURE');

export const dayOver = (hours: number) =>
  invalid(
    hours > 0
      ? `A completion can be at most ${inWords(hours)} old to be taken back`
      : 'Only a completion of today can be taken back',
    'id',
    'TOO_LONG_AGO',
  );

function inWords(hours: number): string {
  const [count, unit] = hours % 24 === 0 ? [hours / 24, 'day'] : [hours, 'hour'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
