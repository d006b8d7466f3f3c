import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

const INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(\.\d{1,3})?(Z|[+-]\d{2}:\d{2})$/;

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The runtime would read February 30th as March 2nd, and the database knows no year 0. */
function isRealDay(day: string): boolean {
  const start = new Date(`${day}T00:00:00Z`);
  return (
    DAY.test(day) && !Number.isNaN(start.getTime()) && start.toISOString().startsWith(day) && day >= '0001'
  );
}

function parseInstant(value: unknown): Date {
  const day = typeof value === 'string' ? INSTANT.exec(value)?.[1] : undefined;
  const instant = new Date(day ? String(value) : Number.NaN);
  if (!day || Number.isNaN(instant.getTime()) || !isRealDay(day)) {
    throw new GraphQLError('DateTime must be a real instant with its zone, such as 2026-11-21T08:30:00.000Z');
  }
  return instant;
}

export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description: 'An instant, ISO 8601 in UTC with milliseconds: 2026-11-21T08:30:00.000Z',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize: (value) => (value as Date).toISOString(),
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
  description: 'A UTC calendar day: 2026-11-21',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/local-date.html',
  serialize: String,
  parseValue: parseDay,
  parseLiteral: (node) => parseDay(node.kind === Kind.STRING ? node.value : undefined),
});
