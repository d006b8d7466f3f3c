/** What PostgreSQL answers to a prepared statement, in its protocol. Every value is text. */

export interface Column {
  name: string;
  type: number;
}

export interface ParsedColumn {
  name: string;
  parse: (text: string) => unknown;
}

export interface Notification {
  channel: string;
  text: string;
}

/** The parts of an answer, of which most are absent. */
export interface Answer {
  parameterTypes: number[];
  columns: Column[];
  rows: unknown[];
  notifications: Notification[];
  error?: Error;
}

/** A letter for the type of a message, and a length that counts itself but not the letter. */
const LETTER = 1;
const HEADER = LETTER + 4;
const NULL = -1;

const [ROW, ERROR, NOTIFICATION, PARAMETERS, COLUMNS] = [...Buffer.from('DEAtT')];

/** `columns` are those of the rows. */
export function readAnswer(bytes: Buffer, columns: readonly ParsedColumn[]): Answer {
  const answer: Answer = { parameterTypes: [], columns: [], rows: [], notifications: [] };
  const fields = new Fields(bytes);
  for (let at = 0; at < bytes.length; at += LETTER + bytes.readInt32BE(at + LETTER)) {
    fields.at = at + HEADER;
    const letter = bytes[at];
    if (letter === ROW) answer.rows.push(rowIn(fields, columns));
    else if (letter === ERROR) answer.error ??= errorIn(fields);
    else if (letter === NOTIFICATION) answer.notifications.push(notificationIn(fields));
    else if (letter === PARAMETERS) answer.parameterTypes = fields.list(() => fields.int32());
    else if (letter === COLUMNS) answer.columns = fields.list(() => columnIn(fields));
  }
  return answer;
}

/** Reads the fields of a message one after the other. */
class Fields {
  at = 0;

  constructor(private readonly bytes: Buffer) {}

  int16(): number {
    this.at += 2;
    return this.bytes.readInt16BE(this.at - 2);
  }

  int32(): number {
    this.at += 4;
    return this.bytes.readInt32BE(this.at - 4);
  }

  text(length: number): string {
    this.at += length;
    return this.bytes.toString('utf8', this.at - length, this.at);
  }

  /** Text that ends with a zero. */
  terminated(): string {
    const text = this.text(this.bytes.indexOf(0, this.at) - this.at);
    this.at += 1;
    return text;
  }

  list<T>(read: () => T): T[] {
    return Array.from({ length: this.int16() }, read);
  }
}

function rowIn(fields: Fields, columns: readonly ParsedColumn[]): unknown {
  const row: Record<string, unknown> = {};
  fields.int16(); // as many as there are columns
  for (const { name, parse } of columns) {
    const length = fields.int32();
    row[name] = length === NULL ? null : parse(fields.text(length));
  }
  return row;
}

function columnIn(fields: Fields): Column {
  const name = fields.terminated();
  fields.at += 6; // the table and the column that it comes from
  const type = fields.int32();
  fields.at += 8; // its length, modifier and format
  return { name, type };
}

function notificationIn(fields: Fields): Notification {
  fields.int32(); // the process
  return { channel: fields.terminated(), text: fields.terminated() };
}

/** The names that drivers give to the fields of an error, by PostgreSQL's letters. */
const ERROR_FIELDS: Record<string, string> = {
  S: 'severity',
  C: 'code',
  D: 'detail',
  H: 'hint',
  P: 'position',
  p: 'internalPosition',
  q: 'internalQuery',
  W: 'where',
  s: 'schema',
  t: 'table',
  c: 'column',
  d: 'dataType',
  n: 'constraint',
  F: 'file',
  L: 'line',
  R: 'routine',
};

function errorIn(fields: Fields): Error {
  const found: Record<string, string> = {};
  for (let letter = fields.text(1); letter !== '\0'; letter = fields.text(1)) {
    found[ERROR_FIELDS[letter] ?? letter] = fields.terminated();
  }
  const { M: message, V: _untranslated, ...named } = found;
  return Object.assign(new Error(message), { name: 'error' }, named);
}
