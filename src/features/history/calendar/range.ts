import 'reflect-metadata';
import { ArgsType, Field, Int } from 'type-graphql';
import { invalid, type Refusal } from '../../../base/errors.js';
import { written } from '../../../base/validation.js';
import { CalendarDate } from '../../../graphql/scalars.js';
import { type Day, daysAfter, daysBetween } from '../../schedules/day.js';
import { historyLimits } from '../limits.js';

/** Both days are included. */
interface CalendarRange {
  from: Day;
  to: Day;
}

/** As it was asked for. Null is as if it was not given. */
export interface AskedRange {
  from?: Day | null | undefined;
  to?: Day | null | undefined;
  last?: number | null | undefined;
}

const FORMS =
  'Give `from` and `to`, or `from` alone for the days up to today, or `last` for the days that end today';

@ArgsType()
export class RangeArgs implements AskedRange {
  @Field(() => CalendarDate, {
    nullable: true,
    description: 'The first day. Give it, with or without `to`, or give `last`.',
  })
  from?: Day | null;

  @Field(() => CalendarDate, {
    nullable: true,
    description: 'The last day. Without it, the range of `from` ends today.',
  })
  to?: Day | null;

  @Field(() => Int, {
    nullable: true,
    description: "A number of days that end with the user's day today. Give it instead of `from` and `to`.",
  })
  last?: number | null;
}

export type RangeOf = 'A calendar' | 'Statistics';

const mostOf: Record<RangeOf, number> = {
  'A calendar': historyLimits.calendarDays,
  Statistics: historyLimits.statisticsDays,
};

const tooLong = (of: RangeOf, field: string) =>
  invalid(`${of} ${of === 'Statistics' ? 'have' : 'has'} at most ${written(mostOf[of])} days`, field);

/** The days of a range, or why there is none. */
export function rangeOn(today: Day, { from, to, last }: AskedRange, of: RangeOf): CalendarRange | Refusal {
  if (typeof last === 'number') {
    if (from || to) return invalid(FORMS, 'last');
    if (last < 1) return invalid('`last` must be at least 1', 'last');
    return last > mostOf[of] ? tooLong(of, 'last') : { from: daysAfter(today, 1 - last), to: today };
  }
  if (!from) return invalid(FORMS, 'from');
  const range = { from, to: to ?? today };
  const days = daysBetween(range.from, range.to) + 1;
  if (days < 1)
    return invalid(`\`from\` must not be after ${to ? '`to`' : 'today, unless `to` is given'}`, 'from');
  return days > mostOf[of] ? tooLong(of, 'to') : range;
}
