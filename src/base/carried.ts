import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { CarriedFile, ListOfFile, Problem } from './carried-file.js';
import type { Shape } from './carried-schema.js';
import { instantIn, isoOf } from './clock.js';
import { describeInput, rule, TIME_OF_DAY } from './validation.js';

/** Where a file is read, and what parts before have found in it. */
export interface Here {
  now: Date;
  templates: readonly { id: number; title: string }[];
  /** Whether the database knows a time zone of that name. */
  hasZone: (name: string) => Promise<boolean>;
  /** The tasks of the file by their ids there: undefined for one that is not valid, whatever else it is. */
  kinds: Map<number, 'goal' | 'limit' | undefined>;
  /** The ids of those that are brought in, and of those that were there. */
  ids: Map<number, number>;
  /** Whether the account may have tasks: what it has already is passed over, and its settings stay. */
  isAdded: boolean;
  /** The tasks of the file that were there already, by their ids in it. */
  there: Set<number>;
}

export interface Exported {
  userId: string;
  /** What is exported is of tasks until then. */
  lastTask: number;
  /** What later features say of the objects of a part: names and values in SQL. */
  more: (part: string) => RawBuilder<unknown>;
}

type Query = Kysely<unknown>;

/** What an export holds of a feature, and an import brings back. */
interface Carrying<Item extends object> {
  /** The member of the file. */
  name: string;
  /** Without it, the member is one object. */
  list?: ListOfFile;
  type: new () => Item;
  /** For docs/export.schema.json, which is generated. What an import passes over is among them. */
  fields: Record<keyof Item, Shape>;
  /** The same of the whole. */
  about?: string;
  /** An export of somebody new: nothing, in a list without one. */
  example?: object;
  /** Texts of JSON, which a comma separates in a list. */
  exported: (query: Query, exported: Exported) => AsyncGenerator<string>;
  /** What an item of a file is under the names of its type, where these are others. */
  asInput?: (item: object) => object;
  /** Asked of one item after the other. */
  problemIn?: (here: Here) => (item: Item, index: number) => Problem;
  whenFaulty?: (item: object, here: Here) => void;
  /** Looks at those that are valid. */
  check?: (items: Item[], file: CarriedFile, here: Here) => void | Promise<void>;
  /** Answers how many are new, where that is not all of them. */
  bringIn: (items: Item[], query: Query, place: Here & { userId: string }) => Promise<number | undefined>;
}

export type Carried = ReturnType<typeof carried>;

/** Hides what its items are. */
export function carried<Item extends object>({
  name,
  list,
  type,
  fields,
  exported,
  ...part
}: Carrying<Item>) {
  const read = async (file: CarriedFile, here: Here) => {
    const problemOf = part.problemIn?.(here) ?? (() => undefined);
    const items = list
      ? await file.list(type, name, problemOf, {
          asInput: part.asInput,
          whenFaulty: (item) => part.whenFaulty?.(item, here),
        })
      : file.whole(type, name);
    await part.check?.(items, file, here);
    const bringIn = async (query: Query, userId: string): Promise<number> =>
      (await part.bringIn(items, query, { userId, ...here })) ?? items.length;
    return { items: items as object[], bringIn };
  };
  const needed = describeInput(type).flatMap((each) => (each.isOptional ? [] : each.name));
  return { name, list, fields, needed, about: part.about, example: part.example, exported, read };
}

/** What a later feature adds to the objects of a part. An import passes over it. */
export interface CarriedAlong {
  part: string;
  name: string;
  schema: Shape;
  /** A value of JSON in SQL; in an account, null for none. */
  exported: (userId: string) => RawBuilder<unknown>;
}

/** How far the clock of another server may be ahead. */
const TOLERATED_AHEAD_MS = 2_000;

export function inFuture({ now }: Here, instants: Record<string, string | null | undefined>): Problem {
  const latest = new Date(now.getTime() + TOLERATED_AHEAD_MS).toISOString();
  const ahead = Object.entries(instants).find(([, each]) => typeof each === 'string' && each > latest);
  return ahead && [ahead[0], 'Nothing may be in the future'];
}

/** Rows as texts of JSON, so many by one statement: each sees the same, in a transaction that does. */
export async function* inPages<Row>(
  query: Query,
  rows: RawBuilder<Row>,
  { size = 5_000, textOf = (row: Row) => JSON.stringify(row) } = {},
) {
  for (let read = 0; ; read += size) {
    const page = (await sql<Row>`${rows} limit ${size} offset ${read}`.execute(query)).rows;
    if (page.length > 0) yield page.map((row) => textOf(row)).join(',\n');
    if (page.length < size) return;
  }
}

/** As an export has it. */
const INSTANT = /^(?:19[7-9]|[2-9]\d\d)\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const DAY = /^(?:19[6-9]|[2-9]\d\d)\d-\d\d-\d\d$/;

const exists = (text: string) => {
  const instant = new Date(text);
  return !Number.isNaN(instant.getTime()) && instant.toISOString() === text;
};

/** From 1960 on, and on the calendar. */
export const isDay = (text: string) => DAY.test(text) && exists(`${text}T00:00:00.000Z`);

/** As an export has it, for any spelling of an instant since 1970 that GraphQL takes too. So it sorts as text. */
function instantText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (INSTANT.test(value) && exists(value)) return value;
  const instant = instantIn(value);
  return instant && instant.getTime() >= 0 ? isoOf(instant) : undefined;
}

export const InstantText = () =>
  rule(
    'instantText',
    { type: 'string', format: 'date-time' },
    (value) =>
      instantText(value) === undefined
        ? 'must be an instant since 1970 with its zone, such as 2026-11-21T08:30:00Z'
        : undefined,
    instantText,
  );

export const DayText = () =>
  rule('dayText', { type: 'string', pattern: DAY.source }, (value) =>
    typeof value === 'string' && isDay(value) ? undefined : 'must be a day, such as 2026-11-21',
  );

export const TimeText = () =>
  rule('timeText', { type: 'string', pattern: TIME_OF_DAY.source }, (value) =>
    typeof value === 'string' && TIME_OF_DAY.test(value) ? undefined : 'must be a time, such as 08:30',
  );
