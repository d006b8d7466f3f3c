import { type RawBuilder, sql } from 'kysely';

/** A day of the database as its number since 1970, as `numberOf` counts. */
export const dayNumber = (day: RawBuilder<unknown>) => sql`${day} - date '1970-01-01'`;

/** The day of such a number, as `dayAt`. */
export const dayNumbered = (number: RawBuilder<unknown>) => sql`date '1970-01-01' + ${number}`;
