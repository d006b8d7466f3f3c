import 'reflect-metadata';
import { ArgsType, Field, Int } from 'type-graphql';
import { invalid, Refusal } from '../errors.js';
import { CalendarDate } from '../graphql/scalars.js';
import { type Day, daysAfter, daysBetween } from '../schedules/day.js';
import { limits, written } from '../validation.js';

/** Both days are included. */
export interface CalendarRange {
  from: Day;
  to: Day;
}

/** As it was asked for. Null is as if it was not given. */
export interface AskedRange {
  from?: Day | null | undefined;
  to?: Day | null | undefined;
  last?: number | null | undefined;
}

const FORMS = 'Give from and to, or from alone for the days up to today, or last for the days that end today';

@ArgsType()
export class RangeArgs implements AskedRange {
  @Field(() => CalendarDate, { nullable: true, description: 'The first day.' })
  from?: Day | null;

  @Field(() => CalendarDate, {
    nullable: true,
    description: 'The last day. Without it, the range ends today.',
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
  'A calendar': limits.calendarDays,
  Statistics: limits.statisticsDays,
};

const tooLong = (of: RangeOf, field: string) =>
  invalid(`${of} ${of === 'Statistics' ? 'have' : 'has'} at most ${written(mostOf[of])} days`, field);

/** What is wrong with a range, as far as that can be said without knowing which day today is. */
export function refuseUnlessPossible({ from, to, last }: AskedRange, of: RangeOf): void {
  if (typeof last === 'number') {
    if (from || to) throw invalid(FORMS, 'last');
    if (last < 1) throw invalid('Last must be at least 1', 'last');
    if (last > mostOf[of]) throw tooLong(of, 'last');
  } else if (!from) throw invalid(FORMS, 'from');
  else if (to) assertPossible({ from, to }, of);
}

function assertPossible({ from, to }: CalendarRange, of: RangeOf): void {
  const length = daysBetween(from, to) + 1;
  if (length < 1) throw invalid('From must not be after to', 'from');
  if (length > mostOf[of]) throw tooLong(of, 'to');
}

/** What `refuseUnlessPossible` has let through; a refusal if it is not possible on this day. */
export function rangeOn(today: Day, { from, to, last }: AskedRange, of: RangeOf): CalendarRange | Refusal {
  const range = { from: from ?? daysAfter(today, 1 - (last ?? 1)), to: to ?? today };
  try {
    assertPossible(range, of);
    return range;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
