import { type Kysely, sql } from 'kysely';
import { invalid } from '../../base/errors.js';
import { type Finding, warning } from '../../base/finding.js';
import { shareSuccess } from '../../base/queues/shared-call.js';
import type { Database } from '../../database/database.js';
import type { Examined } from '../../feature.js';

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

export async function zoneFindings({ query }: Examined): Promise<Finding[]> {
  const zones = await unknownZones(query);
  if (zones.length === 0) return [];
  const named = zones.map(({ zone, users }) => `${zone} (${users})`).join(', ');
  const message = `the database does not know those of some users: ${named}`;
  return [warning(message, 'Move to a server with newer time zones: until then their requests are refused.')];
}

/** The time zones that the database knows by name. Reading them takes it long, and they change with its release only. */
export class Zones {
  readonly names = shareSuccess(() => this.read());

  constructor(private readonly database: Database) {}

  /** `at time zone` would take more than names: abbreviations, offsets, rules in POSIX's form. */
  async has(name: string): Promise<boolean> {
    return (await this.names()).has(name);
  }

  async require(name: string): Promise<void> {
    if (!(await this.has(name)))
      throw invalid('Time zone must be a name of the IANA database, such as Europe/Berlin', 'timeZone');
  }

  private async read(): Promise<ReadonlySet<string>> {
    const { rows } = await sql<{ name: string }>`
      select name from pg_timezone_names where name !~ '^(posix|right)/' and name <> all(${NOT_OF_A_PLACE}::text[])
    `.execute(this.database.query());
    return new Set(rows.map(({ name }) => name));
  }
}
