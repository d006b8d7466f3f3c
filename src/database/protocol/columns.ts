/** Parsers of the text of values, by type. */
export type Parsers = (type: number) => (text: string) => unknown;

type Read = (bytes: Buffer, at: number, end: number) => unknown;

const TEXT = 0;
const BINARY = 1;

/** A column as PostgreSQL describes it. */
export interface Described {
  name: string;
  type: number;
}

/** A column whose values arrive in one of the two formats of PostgreSQL. */
export interface Column {
  name: string;
  format: typeof TEXT | typeof BINARY;
  read: Read;
}

export function inText({ name, type }: Described, parsers: Parsers): Column {
  const parse = parsers(type);
  return { name, format: TEXT, read: (bytes, at, end) => parse(bytes.toString('utf8', at, end)) };
}

const TWO_TO_32 = 2 ** 32;

/** In milliseconds: PostgreSQL counts microseconds from the year 2000. */
const EPOCH = Date.UTC(2000);

const int64 = (bytes: Buffer, at: number) => bytes.readInt32BE(at) * TWO_TO_32 + bytes.readUInt32BE(at + 4);

/** The width of the value in bytes, and how it is read. They read the same values as the parsers of the text do. */
const binary: Record<number, [width: number, Read]> = {
  16: [1, (bytes, at) => bytes[at] === 1],
  20: [8, int64],
  21: [2, (bytes, at) => bytes.readInt16BE(at)],
  23: [4, (bytes, at) => bytes.readInt32BE(at)],
  1184: [8, (bytes, at) => new Date(Math.floor(int64(bytes, at) / 1_000) + EPOCH)],
};

/** A pooler may prepare another statement under a name: better no value than a wrong one. */
const ofWidth =
  (width: number, read: Read): Read =>
  (bytes, at, end) => {
    if (end - at !== width) throw new Error(`A value has ${end - at} bytes instead of ${width}`);
    return read(bytes, at, end);
  };

/**
 * Binary where that is cheaper: to print and parse an instant takes four times as long as to read it, and PostgreSQL
 * prints none. A list of 20 tasks has 60 instants.
 */
export function inBestFormat(column: Described, parsers: Parsers): Column {
  const known = binary[column.type];
  return known ? { name: column.name, format: BINARY, read: ofWidth(...known) } : inText(column, parsers);
}
