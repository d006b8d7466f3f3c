import type { Kysely } from 'kysely';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { unauthenticated } from '../errors.js';
import type { TaskTables } from '../tasks/task.queries.js';
import {
  accountText,
  CSV_HEAD,
  challengeTexts,
  completionsAsCsv,
  completionsAsJson,
  lastTask,
  pauseTexts,
  skipsAsJson,
  taskTexts,
} from './export.queries.js';
import { FORMAT } from './import.input.js';

export type Parts = AsyncGenerator<string, void>;

/** What somebody takes along, in parts: `work` must take them at its own pace, since the database waits meanwhile. */
export class ExportService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** One JSON document of everything, as it was at one moment. */
  document<T>(userId: string, work: (parts: Parts) => Promise<T>): Promise<T> {
    const exportedAt = this.clock.now().toISOString();
    return this.database.snapshotForRequest<TaskTables, T>((query) =>
      work(documentOf(query, userId, exportedAt)),
    );
  }

  /** The completions alone, for a spreadsheet. */
  completions<T>(userId: string, work: (parts: Parts) => Promise<T>): Promise<T> {
    return this.database.snapshotForRequest<TaskTables, T>((query) => work(tableOf(query, userId)));
  }
}

async function* documentOf(query: Kysely<TaskTables>, userId: string, exportedAt: string): Parts {
  const account = await accountText(query, userId);
  if (account === undefined) throw unauthenticated();
  const exported = { userId, lastTask: await lastTask(query, userId) };
  const head = JSON.stringify({ ...FORMAT, exportedAt }).slice(0, -1);
  yield `${head},"account":${account},"tasks":[`;
  yield (await taskTexts(query, userId)).join(',\n');
  yield '],"challenges":[';
  yield (await challengeTexts(query, userId)).join(',\n');
  yield '],"pauses":[';
  yield (await pauseTexts(query, exported)).join(',\n');
  yield '],"skips":[';
  yield* listOf(skipsAsJson(query, exported));
  yield '],"completions":[';
  yield* listOf(completionsAsJson(query, exported));
  yield ']}\n';
}

async function* listOf(texts: Parts): Parts {
  let separator = '';
  for await (const text of texts) {
    yield separator;
    yield text;
    separator = ',';
  }
}

async function* tableOf(query: Kysely<TaskTables>, userId: string): Parts {
  if ((await accountText(query, userId)) === undefined) throw unauthenticated();
  yield CSV_HEAD;
  yield* completionsAsCsv(query, { userId, lastTask: await lastTask(query, userId) });
}
