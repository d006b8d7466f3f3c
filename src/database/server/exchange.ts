import type { PoolClient } from 'pg';
import { type Answer, AnswerReader, endOf } from '../protocol/answer.js';
import { type Column, inBestFormat, type Parsers } from '../protocol/columns.js';
import { ALL_TEXT, description, execution, formatsOf, preparation } from '../protocol/messages.js';
import { streamOf } from './wire.js';

export interface Executable {
  /** Under which it is prepared once; undefined: anew each time. */
  name: string | undefined;
  text: string;
  values: readonly unknown[];
}

/** As `pg` answers. */
interface Result {
  rows: unknown[];
  command: string | undefined;
  rowCount: number;
}

/** What is known of a prepared statement once it was described. */
interface Prepared {
  columns: readonly Column[];
  formats: Buffer;
}

interface UnderWay {
  reader: AnswerReader;
  end: (error?: Error) => void;
}

/**
 * Sends statements, foremost those of hot paths, and reads their answers past `pg`, on a connection that is lent to one
 * borrower at a time. `pg` writes four messages for each, and has the columns described again; this is one write, and
 * columns are described when a statement is prepared. Whatever else arrives on the connection is for `pg`.
 */
export class Exchange {
  private readonly stream: ReturnType<typeof streamOf>;
  private readonly known = new Map<string, Prepared | undefined>();
  private readonly parsers: Parsers;
  private readonly others: Messages;
  private underWay: UnderWay | undefined;

  /** `limit` is in milliseconds: how long an answer may take. */
  constructor(
    client: PoolClient,
    private readonly limit: number | undefined,
  ) {
    this.stream = streamOf(client);
    this.parsers = (type) => client.getTypeParser(type, 'text');
    this.others = new Messages(this.stream.listeners('data'));
    this.stream.removeAllListeners('data');
    this.stream.on('data', (piece) => this.take(piece));
    this.stream.on('error', (error) => this.underWay?.end(error));
    this.stream.on('close', () => this.underWay?.end(terminated()));
  }

  /** Whether nothing is under way, not even a message to `pg`. */
  get isFree(): boolean {
    return !this.underWay && !this.others.isInMessage;
  }

  /** What is `ahead` is executed first, in the same transaction and without an answer of its own. */
  async execute({ name, text, values }: Executable, ahead = NOTHING): Promise<Result> {
    const described = name === undefined ? undefined : this.known.get(name);
    const executing = execution(name ?? '', values.map(asText), described?.formats ?? ALL_TEXT);
    const reader = new AnswerReader(described?.columns ?? [], this.parsers);
    const beginning = described ? [] : [this.beginning(name, text)];
    const isWhole = described && ahead === NOTHING;
    await this.send(isWhole ? executing : Buffer.concat([ahead, ...beginning, executing]), reader);
    const { answer } = reader;
    if (name !== undefined) this.remember(name, answer, ahead === NOTHING ? 0 : 1);
    if (answer.error) throw answer.error;
    const [command, ...counts] = answer.tag.split(' ');
    return { rows: answer.rows, command, rowCount: Number(counts.at(-1) ?? 0) };
  }

  private remember(name: string, { prepared, described }: Answer, preparedAhead: number): void {
    if (prepared > preparedAhead) this.known.set(name, undefined);
    if (!described) return;
    const columns = described.map((column) => inBestFormat(column, this.parsers));
    this.known.set(name, { columns, formats: formatsOf(columns) });
  }

  /** A statement may have been prepared, and cancelled before it was described. */
  private beginning(name: string | undefined, text: string): Buffer {
    return name !== undefined && this.known.has(name) ? description(name) : preparation(name ?? '', text);
  }

  private async send(message: Buffer, reader: AnswerReader): Promise<void> {
    if (!this.stream.writable) throw terminated();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer =
      this.limit && setTimeout(() => this.underWay?.end(new Error('Query read timeout')), this.limit);
    const end = (error?: Error) => {
      clearTimeout(timer);
      this.underWay = undefined;
      if (error) reject(reader.fatality ?? error);
      else resolve();
    };
    this.underWay = { reader, end };
    this.stream.write(message);
    return promise;
  }

  private take(piece: Buffer): void {
    const rest = this.underWay ? this.answer(this.underWay, piece) : piece;
    if (rest.length > 0) this.others.take(rest);
  }

  /** Returns what is not of the answer. */
  private answer({ reader, end }: UnderWay, piece: Buffer): Buffer {
    try {
      const rest = reader.take(piece);
      if (!reader.isComplete) return NOTHING;
      end();
      return rest;
    } catch (error) {
      end(error as Error); // the guard closes the connection
      return NOTHING;
    }
  }
}

const NOTHING: Buffer = Buffer.alloc(0);

/** In the words of `pg`, by which a lost connection is recognised. */
const terminated = () => new Error('Connection terminated unexpectedly');

/** As `pg` sends them. */
function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `{${value.map(asElement).join(',')}}`;
  if (typeof value === 'object') throw new TypeError('An object cannot be sent');
  return String(value);
}

const asElement = (value: unknown) =>
  value === null ? 'NULL' : `"${asText(value)?.replaceAll(/[\\"]/g, '\\$&')}"`;

type Listener = (piece: Buffer) => void;

/** Passes messages on, and knows whether one has arrived in part only. */
class Messages {
  private readonly listeners: Listener[];
  /** In bytes: what the message has still to come. */
  private missing = 0;
  private header: Buffer = NOTHING;

  constructor(listeners: unknown[]) {
    this.listeners = listeners as Listener[];
  }

  get isInMessage(): boolean {
    return this.missing > 0 || this.header.length > 0;
  }

  take(piece: Buffer): void {
    for (const listener of this.listeners) listener(piece);
    if (this.missing >= piece.length) {
      this.missing -= piece.length;
      return;
    }
    const fresh = piece.subarray(this.missing);
    const bytes = this.header.length > 0 ? Buffer.concat([this.header, fresh]) : fresh;
    let at = 0;
    let end = endOf(bytes, at);
    while (end < bytes.length) {
      at = end;
      end = endOf(bytes, at);
    }
    const isLengthKnown = end !== Number.POSITIVE_INFINITY;
    this.missing = isLengthKnown ? end - bytes.length : 0;
    this.header = isLengthKnown ? NOTHING : Buffer.from(bytes.subarray(at));
  }
}
