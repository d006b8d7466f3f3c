import { type Kysely, sql } from 'kysely';
import type { Exported } from '../../base/carried.js';
import type { Clock } from '../../base/clock.js';
import { unauthenticated } from '../../base/errors.js';
import type { Database } from '../../database/database.js';
import { Zones } from '../account/zones.js';
import { CSV_HEAD, completionsAsCsv } from '../history/completions/carried.js';
import type { CarriedParts } from './export-schema.js';
import { FORMAT } from './import-file.js';

export type Parts = AsyncGenerator<string, void>;

type Query = Kysely<unknown>;

/** What somebody takes along, in parts: `work` must take them at its own pace, since the database waits meanwhile. */
export class ExportService {
  private readonly zones: Zones;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly carried: CarriedParts,
  ) {
    this.zones = new Zones(database);
  }

  /** One JSON document of everything, as it was at one moment. */
  async document<T>(userId: string, work: (parts: Parts) => Promise<T>): Promise<T> {
    const exportedAt = this.clock.now().toISOString();
    const isZoneKnown = await this.isZoneKnown(userId);
    return this.database.snapshotForRequest<unknown, T>((query) =>
      work(this.documentOf(query, { userId, isZoneKnown, exportedAt })),
    );
  }

  /** The completions alone, for a spreadsheet. */
  completions<T>(userId: string, work: (parts: Parts) => Promise<T>): Promise<T> {
    return this.database.snapshotForRequest<unknown, T>((query) => work(tableOf(query, userId)));
  }

  private async isZoneKnown(userId: string): Promise<boolean> {
    const { rows } = await sql<{ zone: string | null }>`
      select time_zone as zone from user_progress where user_id = ${userId}`.execute(this.database.query());
    const zone = rows[0]?.zone ?? null;
    return zone === null || this.zones.has(zone);
  }

  private async *documentOf(
    query: Query,
    { exportedAt, ...of }: Pick<Exported, 'userId' | 'isZoneKnown'> & { exportedAt: string },
  ): Parts {
    const { userId } = of;
    const more = (part: string) =>
      sql.join(
        this.carried.along
          .filter((each) => each.part === part)
          .map(({ name, exported }) => sql`${sql.lit(name)}, ${exported(userId)}`),
      );
    const exported = { ...of, lastTask: await lastTask(query, userId), more };
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

/** The last of the user's tasks, by id; 0 without any. */
export async function lastTask(query: Query, userId: string): Promise<number> {
  const { rows } = await sql<{ id: string | null }>`
    select (select max(id) from tasks where user_id = ${userId}) as id from users where id = ${userId}`.execute(
    query,
  );
  if (rows.length === 0) throw unauthenticated();
  return Number(rows[0]?.id ?? 0);
}

async function* tableOf(query: Query, userId: string): Parts {
  const exported = { userId, lastTask: await lastTask(query, userId) };
  yield CSV_HEAD;
  yield* completionsAsCsv(query, exported);
}
