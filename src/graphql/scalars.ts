import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import { instantIn, isoOf, isRealDay } from '../clock.js';
import { TIME_OF_DAY } from '../validation.js';

function parseInstant(value: unknown): Date {
  const instant = typeof value === 'string' ? instantIn(value) : undefined;
  if (instant) return instant;
  throw new GraphQLError('DateTime must be a real instant with its zone, such as 2026-11-21T08:30:00.000Z');
}

export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description:
    'An instant, ISO 8601 in UTC with milliseconds: 2026-11-21T08:30:00.000Z. As input it may have any offset; what is finer than a millisecond is cut off.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize: (value) => isoOf(value as Date),
  parseValue: parseInstant,
  parseLiteral: (node) => parseInstant(node.kind === Kind.STRING ? node.value : undefined),
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
  parseLiteral: (node) => parseDay(node.kind === Kind.STRING ? node.value : undefined),
});

function parseZone(value: unknown): string {
  if (typeof value !== 'string') throw new GraphQLError('TimeZone must be text, such as Europe/Berlin');
  return value;
}

/** Which names there are, only the database knows. */
export const TimeZoneName = new GraphQLScalarType<string, string>({
  name: 'TimeZone',
  description: 'The name of a zone of the IANA database, such as Europe/Berlin.',
  serialize: String,
  parseValue: parseZone,
  parseLiteral: (node) => parseZone(node.kind === Kind.STRING ? node.value : undefined),
});

function parseTime(value: unknown): string {
  if (typeof value === 'string' && TIME_OF_DAY.test(value)) return value;
  throw new GraphQLError('TimeOfDay must be a time from 00:00 to 23:59, such as 08:30');
}

export const TimeOfDay = new GraphQLScalarType<string, string>({
  name: 'TimeOfDay',
  description: 'A time of the wall clock, in hours and minutes: 08:30',
  serialize: String,
  parseValue: parseTime,
  parseLiteral: (node) => parseTime(node.kind === Kind.STRING ? node.value : undefined),
});
