/** What is sent to PostgreSQL for a prepared statement, in its protocol. All values are sent as text. */

/** A letter for the type, and a length that counts itself but not the letter. */
const HEADER = 5;
const LENGTH = 4;
const NULL = -1;

function message(letter: string, ...parts: Buffer[]): Buffer {
  const header = Buffer.alloc(HEADER, letter);
  header.writeInt32BE(LENGTH + parts.reduce((sum, { length }) => sum + length, 0), 1);
  return Buffer.concat([header, ...parts]);
}

const terminated = (text: string) => Buffer.from(`${text}\0`);

const NO_TYPES = Buffer.alloc(2);
const ALL_ROWS = Buffer.alloc(4);
export const SYNC = message('S');
const EXECUTE = message('E', terminated(''), ALL_ROWS);
const EXECUTE_AND_SYNC = Buffer.concat([EXECUTE, SYNC]);

/** Describes a statement that was parsed. */
export const description = (name: string): Buffer => message('D', terminated(`S${name}`));

/** Parses and describes a statement. */
export const preparation = (name: string, text: string): Buffer =>
  Buffer.concat([message('P', terminated(name), terminated(text), NO_TYPES), description(name)]);

/** Parses and executes a statement without values, and waits for nothing: what follows is in its transaction. */
export const leading = (text: string): Buffer =>
  Buffer.concat([
    message('P', terminated(''), terminated(text), NO_TYPES),
    message('B', terminated(''), terminated(''), Buffer.alloc(6)),
    EXECUTE,
  ]);

/** Forgets the statement of that name, if there is one. */
export const closing = (name: string): Buffer => message('C', terminated(`S${name}`));

/** The formats of columns, as an execution names them. */
export function formatsOf(columns: readonly { format: number }[]): Buffer {
  const formats = Buffer.alloc(2 + 2 * columns.length);
  formats.writeInt16BE(columns.length);
  for (const [index, { format }] of columns.entries()) formats.writeInt16BE(format, 2 + 2 * index);
  return formats;
}

export const ALL_TEXT = formatsOf([]);

/**
 * Binds the values and executes the statement, whose columns come in these formats. Written in one go, since it is
 * sent most often.
 */
export function execution(name: string, values: (string | null)[], formats: Buffer): Buffer {
  const lengths = values.map((value) => (value === null ? 0 : Buffer.byteLength(value)));
  const length = lengths.reduce(
    (sum, each) => sum + LENGTH + each,
    HEADER + name.length + 6 + formats.length,
  );
  const buffer = Buffer.allocUnsafe(length + EXECUTE_AND_SYNC.length);
  let at = buffer.write('B', 'latin1');
  at = buffer.writeInt32BE(length - 1, at);
  at += buffer.write(`\0${name}\0`, at, 'latin1'); // the portal has no name
  at = buffer.writeInt16BE(0, at); // every value is text
  at = buffer.writeInt16BE(values.length, at);
  for (const [index, value] of values.entries()) {
    at = buffer.writeInt32BE(value === null ? NULL : (lengths[index] ?? 0), at);
    if (value !== null) at += buffer.write(value, at);
  }
  at += formats.copy(buffer, at);
  EXECUTE_AND_SYNC.copy(buffer, at);
  return buffer;
}
