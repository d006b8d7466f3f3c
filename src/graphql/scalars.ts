import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { instantIn, isoOf, isRealDay } from '../base/clock.js';
import { TIME_OF_DAY } from '../base/validation.js';

function parseInstant(value: unknown): Date {
  const instant = typeof value === 'string' ? instantIn(value) : undefined;
  if (instant) return instant;
  throw new GraphQLError('DateTime must be a real instant with its zone, such as 2026-11-21T08:30:00.000Z');
}

/** With the node at fault, from which its place is told. */
const literal =
  <Value>(parse: (value: unknown) => Value) =>
  (node: ValueNode): Value => {
    try {
      return parse(node.kind === Kind.STRING ? node.value : undefined);
    } catch (error) {
      throw new GraphQLError((error as Error).message, { nodes: node });
    }
  };

export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description:
    'An instant, ISO 8601 in UTC with milliseconds: 2026-11-21T08:30:00.000Z. As input it may have any offset; what is finer than a millisecond is cut off.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize: (value) => isoOf(value as Date),
  parseValue: parseInstant,
  parseLiteral: literal(parseInstant),
});

function parseDay(value: unknown): string {
  if (typeof value !== 'string' || !isRealDay(value)) {
    throw new GraphQLError('Date must be a real day, such as 2026-11-21');
  }
  return value;
}

export const CalendarDate = new GraphQLScalarType<string, string>({
  name: 'Date',
  description: 'A calendar day: 2026-11-21',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/local-date.html',
  serialize: String,
  parseValue: parseDay,
  parseLiteral: literal(parseDay),
});

function parseZone(value: unknown): string {
  if (typeof value !== 'string') throw new GraphQLError('TimeZone must be text, such as Europe/Berlin');
  return value;
}

/** Which names there are, only the database knows. */
export const TimeZoneName = new GraphQLScalarType<string, string>({
  name: 'TimeZone',
  description: 'The name of a zone of the IANA database, such as Europe/Berlin.',
  specifiedByURL: 'https://www.iana.org/time-zones',
  serialize: String,
  parseValue: parseZone,
  parseLiteral: literal(parseZone),
});

function parseTime(value: unknown): string {
  if (typeof value === 'string' && TIME_OF_DAY.test(value)) return value;
  throw new GraphQLError('TimeOfDay must be a time from 00:00 to 23:59, such as 08:30');
}

export const TimeOfDay = new GraphQLScalarType<string, string>({
  name: 'TimeOfDay',
  description: 'A time of the wall clock, in hours and minutes: 08:30',
  specifiedByURL: 'https://scalars.graphql.org/apollographql/localtime-v0.1.html',
  serialize: String,
  parseValue: parseTime,
  parseLiteral: literal(parseTime),
});
