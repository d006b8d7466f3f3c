import { noteRead } from '../../request.js';
import { isPlanStale } from '../outcome.js';
import { type Answer, AnswerReader } from '../protocol/answer.js';
import { type Column, inBestFormat, type Parsers } from '../protocol/columns.js';
import { closing, execution, formatsOf, preparation, SYNC } from '../protocol/messages.js';
import type { Sendable } from '../statement.js';
import { type Engine, exclusively } from './engine.js';

/** A statement that PostgreSQL knows by its name. */
interface Prepared {
  serializers: Serialize[];
  columns: Column[];
  formats: Buffer;
}

type Serialize = (value: unknown) => string;

const asText: Serialize = (value) => String(value);
const asIs = (text: string) => text;

/**
 * Executes statements of hot paths. PGlite's own `query` would parse and describe each of them anew, in six calls of
 * PostgreSQL; a prepared statement takes one.
 */
export class PreparedStatements {
  private readonly known = new Map<string, Prepared>();
  private readonly received = new Received();
  private readonly receivers = new Set<(channel: string, text: string) => void>();

  private readonly parsers: Parsers;

  constructor(private readonly engine: Engine) {
    this.parsers = (type) => engine.parsers[type] ?? asIs;
  }

  execute(statement: Sendable): Promise<unknown[]> {
    return exclusively(this.engine, async () => {
      try {
        return await this.executeOnce(statement);
      } catch (error) {
        if (!isPlanStale(error)) throw error;
        this.known.delete(statement.name);
        return this.executeOnce(statement);
      }
    });
  }

  /** Called with notifications that come with the answers to these statements, which PGlite does not see. */
  onNotification(receive: (channel: string, text: string) => void): () => void {
    this.receivers.add(receive);
    return () => void this.receivers.delete(receive);
  }

  private async executeOnce(statement: Sendable): Promise<unknown[]> {
    const { serializers, columns, formats } =
      this.known.get(statement.name) ?? (await this.prepare(statement));
    const values = statement.parameters.map((value, index) =>
      value === null || value === undefined ? null : (serializers[index] ?? asText)(value),
    );
    const { rows } = await this.ask(execution(statement.name, values, formats), columns);
    if (statement.mayWrite) await this.engine.syncToFs();
    return rows;
  }

  private async prepare({ name, text }: Sendable): Promise<Prepared> {
    const preparing = Buffer.concat([closing(name), preparation(name, text), SYNC]);
    const { parameterTypes, described = [] } = await this.ask(preparing, []);
    const serializers = parameterTypes.map((type) => this.engine.serializers[type] ?? asText);
    const columns = described.map((column) => inBestFormat(column, this.parsers));
    const prepared = { serializers, columns, formats: formatsOf(columns) };
    this.known.set(name, prepared);
    return prepared;
  }

  private async ask(message: Uint8Array, columns: Column[]): Promise<Answer> {
    const { engine, received } = this;
    if (!engine.ready) throw new Error('The database is closed');
    received.clear();
    await engine.execProtocolRawStream(message, {
      syncToFs: false,
      onRawData: (piece) => received.add(piece),
    });
    noteRead(received.bytes.length);
    const reader = new AnswerReader(columns, this.parsers);
    reader.take(received.bytes);
    const { answer } = reader;
    for (const { channel, text } of answer.notifications) {
      for (const receive of this.receivers) queueMicrotask(() => receive(channel, text));
    }
    if (answer.error) throw answer.error;
    return answer;
  }
}

/** In bytes. */
const USUAL = 64 * 1_024;

/** Collects the pieces of an answer. They lie in PostgreSQL's memory, which is written again at once. */
class Received {
  private room = Buffer.allocUnsafeSlow(USUAL);
  private length = 0;

  get bytes(): Buffer {
    return this.room.subarray(0, this.length);
  }

  add(piece: Uint8Array): void {
    const length = this.length + piece.length;
    if (length > this.room.length) {
      const larger = Buffer.allocUnsafeSlow(2 * length);
      this.room.copy(larger, 0, 0, this.length);
      this.room = larger;
    }
    this.room.set(piece, this.length);
    this.length = length;
  }

  clear(): void {
    if (this.room.length > USUAL) this.room = Buffer.allocUnsafeSlow(USUAL);
    this.length = 0;
  }
}
