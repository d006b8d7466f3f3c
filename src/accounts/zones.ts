import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/database.js';
import { invalid } from '../errors.js';
import { shareSuccess } from '../queues/shared-call.js';

/**
 * Names that mean something else on every server, nothing anywhere, or, as abbreviations too, a zone without summer
 * time.
 */
const NOT_OF_A_PLACE = ['localtime', 'posixrules', 'Factory', 'CET', 'EET', 'MET', 'WET'];

interface UnknownZone {
  zone: string;
  users: number;
}

/**
 * The time zones of users that this database does not know: it was restored from one that knows more. Takes a tenth of
 * a second for 100,000 users.
 */
export async function unknownZones(query: Kysely<unknown>): Promise<UnknownZone[]> {
  const { rows } = await sql<UnknownZone>`
    select time_zone as zone, count(*)::int as users from user_progress
    where time_zone is not null
    group by time_zone
    having time_zone not in (select name from pg_timezone_names)
    order by time_zone`.execute(query);
  return rows;
}

/** The time zones that the database knows by name. Reading them takes it long, and they change with its release only. */
export class Zones {
  private readonly names = shareSuccess(() => this.read());

  constructor(private readonly database: Database) {}

  /** `at time zone` would take more than names: abbreviations, offsets, rules in POSIX's form. */
  async has(name: string): Promise<boolean> {
    return (await this.names()).has(name);
  }

  async require(name: string): Promise<void> {
    if (!(await this.has(name))) throw invalid('Time zone must be a name of the IANA database', 'timeZone');
  }

  private async read(): Promise<ReadonlySet<string>> {
    const { rows } = await sql<{ name: string }>`
      select name from pg_timezone_names where name !~ '^(posix|right)/' and name <> all(${NOT_OF_A_PLACE}::text[])
    `.execute(this.database.query());
    return new Set(rows.map(({ name }) => name));
  }
}
