import { type Kysely, sql } from 'kysely';
import type { Exported } from '../../base/carried.js';
import type { Clock } from '../../base/clock.js';
import { unauthenticated } from '../../base/errors.js';
import type { Database } from '../../database/database.js';
import type { Zones } from '../account/zones.js';
import { CSV_HEAD, completionsAsCsv } from '../history/completions/carried.js';
import type { CarriedParts } from './export-schema.js';
import { FORMAT } from './import-file.js';

export type Parts = AsyncGenerator<string, void>;

type Query = Kysely<unknown>;

/** What somebody takes along, in parts: `work` must take them at its own pace, since the database waits meanwhile. */
export class ExportService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly zones: Zones,
    private readonly carried: CarriedParts,
  ) {}

  /** One JSON document of everything, as it was at one moment. */
  async document<T>(userId: string, work: (parts: Parts) => Promise<T>): Promise<T> {
    const exportedAt = this.clock.now().toISOString();
    const zones = await this.zones.names(); // before the snapshot, which has a connection of its own
    return this.database.snapshotForRequest<unknown, T>((query) =>
      work(this.documentOf(query, { userId, exportedAt, zones })),
    );
  }

  /** The completions alone, for a spreadsheet. */
  completions<T>(userId: string, work: (parts: Parts) => Promise<T>): Promise<T> {
    return this.database.snapshotForRequest<unknown, T>((query) => work(tableOf(query, userId)));
  }

  private async *documentOf(
    query: Query,
    { userId, exportedAt, zones }: { userId: string; exportedAt: string; zones: ReadonlySet<string> },
  ): Parts {
    const more = (part: string) =>
      sql.join(
        this.carried.along
          .filter((each) => each.part === part)
          .map(({ name, exported }) => sql`${sql.lit(name)}, ${exported(userId)}`),
      );
    const { lastTask, timeZone } = await standOf(query, userId);
    const isZoneKnown = timeZone === null || zones.has(timeZone);
    const exported = { userId, isZoneKnown, lastTask, more };
    yield JSON.stringify({ ...FORMAT, exportedAt }).slice(0, -1);
    for (const part of this.carried.parts) yield* memberOf(part, query, exported);
    yield '}\n';
  }
}

async function* memberOf(
  { name, list, exported }: CarriedParts['parts'][number],
  query: Query,
  given: Exported,
): Parts {
  yield `,"${name}":${list ? '[' : ''}`;
  let separator = '';
  for await (const text of exported(query, given)) {
    if (text !== '') yield `${separator}${text}`;
    separator = ',';
  }
  if (list) yield ']';
}

/** The last of the user's tasks, by id; 0 without any. And the zone of the user's days. */
export async function standOf(
  query: Query,
  userId: string,
): Promise<{ lastTask: number; timeZone: string | null }> {
  const { rows } = await sql<{ id: string | null; timeZone: string | null }>`
    select (select max(id) from tasks where user_id = ${userId}) as id, time_zone as "timeZone"
    from user_progress where user_id = ${userId}`.execute(query);
  const [found] = rows;
  if (!found) throw unauthenticated();
  return { lastTask: Number(found.id ?? 0), timeZone: found.timeZone };
}

async function* tableOf(query: Query, userId: string): Parts {
  const { lastTask } = await standOf(query, userId);
  yield CSV_HEAD;
  yield* completionsAsCsv(query, { userId, lastTask });
}
