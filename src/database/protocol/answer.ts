import { type Column, type Described, inText, type Parsers } from './columns.js';

/** What PostgreSQL answers to a prepared statement, in its protocol. */

export interface Notification {
  channel: string;
  text: string;
}

/** The parts of an answer, of which most are absent. */
export interface Answer {
  /** How many statements were prepared; they stay so even if their execution fails. */
  prepared: number;
  parameterTypes: number[];
  /** Undefined unless the statement was described. */
  described: Described[] | undefined;
  rows: unknown[];
  /** What the last statement was and how many rows it met, such as `UPDATE 2`. */
  tag: string;
  notifications: Notification[];
  error?: Error;
}

/** A letter for the type of a message, and a length that counts itself but not the letter. */
const LETTER = 1;
const HEADER = LETTER + 4;
const NULL = -1;

const [ROW, ERROR, NOTIFICATION, PREPARED, PARAMETERS, COLUMNS, NO_COLUMNS, DONE, READY] = [
  ...Buffer.from('DEA1tTnCZ'),
];

/** Reads an answer as it arrives, in pieces that need not end where messages do. */
export class AnswerReader {
  readonly answer: Answer = {
    prepared: 0,
    parameterTypes: [],
    described: undefined,
    rows: [],
    tag: '',
    notifications: [],
  };
  /** Whether the server is ready for the next statement. */
  isComplete = false;
  private begun: Buffer | undefined;

  /** `columns` are those of the rows, unless the answer describes them itself: then they are text. */
  constructor(
    private columns: readonly Column[],
    private readonly parsers: Parsers,
  ) {}

  /** Returns what arrived after the answer. */
  take(piece: Buffer): Buffer {
    const bytes = this.begun ? Buffer.concat([this.begun, piece]) : piece;
    const fields = new Fields(bytes);
    let at = 0;
    for (let end = endOf(bytes, at); end <= bytes.length && !this.isComplete; end = endOf(bytes, at)) {
      fields.at = at + HEADER;
      this.read(bytes[at], fields);
      at = end;
    }
    const rest = bytes.subarray(at);
    this.begun = this.isComplete || rest.length === 0 ? undefined : rest;
    return rest;
  }

  /** The error with which the server ended the connection. */
  get fatality(): Error | undefined {
    const { error } = this.answer;
    return error && (error as { severity?: string }).severity !== 'ERROR' ? error : undefined;
  }

  private read(letter: number | undefined, fields: Fields): void {
    const { answer } = this;
    if (letter === ROW) answer.rows.push(rowIn(fields, this.columns));
    else if (letter === READY) this.isComplete = true;
    else if (letter === ERROR) answer.error ??= errorIn(fields);
    else if (letter === NOTIFICATION) answer.notifications.push(notificationIn(fields));
    else if (letter === DONE) answer.tag = fields.terminated();
    else if (letter === PREPARED) answer.prepared += 1;
    else if (letter === PARAMETERS) answer.parameterTypes = fields.list(() => fields.int32());
    else if (letter === COLUMNS) {
      const described = fields.list(() => columnIn(fields));
      answer.described = described;
      this.columns = described.map((column) => inText(column, this.parsers));
    } else if (letter === NO_COLUMNS) answer.described = [];
  }
}

/** Where the message at this place ends; beyond all bytes if its length has not arrived yet. */
export const endOf = (bytes: Buffer, at: number): number =>
  at + HEADER > bytes.length ? Number.POSITIVE_INFINITY : at + LETTER + bytes.readInt32BE(at + LETTER);

/** Reads the fields of a message one after the other. */
class Fields {
  at = 0;

  constructor(readonly bytes: Buffer) {}

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

function columnIn(fields: Fields): Described {
  const name = fields.terminated();
  fields.at += 6; // the table and the column that it comes from
  const type = fields.int32();
  fields.at += 8; // its length, modifier and format
  return { name, type };
}

function rowIn(fields: Fields, columns: readonly Column[]): unknown {
  const { bytes } = fields;
  const row: Record<string, unknown> = {};
  const count = fields.int16();
  if (count !== columns.length) throw new Error(`A row has ${count} columns instead of ${columns.length}`);
  for (const { name, read } of columns) {
    const length = fields.int32();
    const { at } = fields;
    if (length === NULL) row[name] = null;
    else {
      fields.at += length;
      row[name] = read(bytes, at, fields.at);
    }
  }
  return row;
}

function notificationIn(fields: Fields): Notification {
  fields.int32(); // the process
  return { channel: fields.terminated(), text: fields.terminated() };
}

/** The names that drivers give to the fields of an error, by PostgreSQL's letters. */
const ERROR_FIELDS: Record<string, string> = {
  V: 'severity', // never translated, as S may be
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
  const { M: message, S: _translated, ...named } = found;
  return Object.assign(new Error(message), { name: 'error' }, named);
}
