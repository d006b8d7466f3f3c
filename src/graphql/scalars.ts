import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

const INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(\.\d{1,3})?(Z|[+-]\d{2}:\d{2})$/;

/** The runtime would read February 30th as March 2nd. */
const isRealDay = (day: string) => new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);

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
