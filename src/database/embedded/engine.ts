import { setImmediate } from 'node:timers/promises';
import type { SqlMikroORM } from '@mikro-orm/postgresql';
import { DataDirectoryError } from '../../data-directory.js';
import { noteRead } from '../../request.js';
import { type ModuleWithFiles, makeDurable } from './durable-files.js';

/** The parts of PGlite that we use besides the query builder. */
export interface Engine {
  query(text: string): Promise<{ rows: unknown[] }>;
  exec(text: string): Promise<unknown>;
  listen(channel: string, receive: (text: string) => void): Promise<() => Promise<void>>;
  Module: EngineModule;
  /** False while it is being closed, and afterwards. */
  ready: boolean;
  parsers: Record<number, ((text: string) => unknown) | undefined>;
  serializers: Record<number, ((value: unknown) => string) | undefined>;
  execProtocolRawSync(message: Uint8Array): Uint8Array;
  execProtocolRawStream(
    message: Uint8Array,
    options: { syncToFs: boolean; onRawData: (piece: Uint8Array) => void },
  ): Promise<void>;
  /** Returns the messages of the answer. */
  execProtocolStream(message: Uint8Array, options?: object): Promise<{ length: number }[]>;
  syncToFs(): Promise<void>;
  /** Every operation goes through it, one at a time. */
  _runExclusiveTransaction<T>(work: () => Promise<T>): Promise<T>;
}

export function engineOf(orm: SqlMikroORM): Promise<Engine> {
  const connection = orm.em.getConnection() as unknown as { getNativeClient(): Promise<Engine> };
  return connection.getNativeClient();
}

/** Begins `work` in a turn of its own when nothing else is under way, no transaction either. */
export const exclusively = <T>(engine: Engine, work: () => Promise<T>): Promise<T> =>
  engine._runExclusiveTransaction(work);

interface EngineModule {
  ___stack_pointer: { value: number };
  _PostgresMainLoopOnce(): void;
  /** Asked after each exception, whether it was a longjmp. */
  _pgl_setPGliteExitStatus(status: number): number;
}

/** Options that PGlite creates its WebAssembly module with. */
interface ModuleOptions {
  printErr?: (text: string) => void;
  /** Called with the module before PostgreSQL starts in it, in this order. */
  preRun?: ((module: ModuleWithFiles) => void)[];
}

/** The last error that PostgreSQL printed. */
export class LastError {
  private text = '';

  record(text: string): void {
    this.text = /\b(?:ERROR|FATAL|PANIC): +(.*)/.exec(text)?.[1] ?? (this.text || text);
  }

  toString(): string {
    return this.text || 'PostgreSQL does not say why';
  }
}

/** PostgreSQL has crashed inside this process. */
class EngineStopped extends DataDirectoryError {
  /** `crash_shutdown`: the outcome of the statement is unknown. */
  readonly code = '57P02';

  constructor(lastError: LastError, cause: unknown) {
    super(`The embedded database has stopped: ${lastError}. What was acknowledged is kept; start it again.`, {
      cause,
    });
  }
}

/**
 * A failed statement ends in a longjmp, which PGlite turns into a thrown string. That leaks WebAssembly stack: after
 * about 3,000 failures too little is left even for a rollback, and after about 14,000 memory is overwritten. So the
 * stack pointer is restored.
 *
 * Any other exception means that PostgreSQL has crashed. PGlite would go on with the rest of the message, so it is
 * interrupted, and no statement is sent any more.
 */
function guardEngine(engine: Engine, onEnd: (error: Error) => void, lastError: LastError): void {
  const execute = engine.execProtocolRawSync.bind(engine);
  let isWatched = false;
  let end: EngineStopped | undefined;

  const watch = (module: EngineModule) => {
    const loop = module._PostgresMainLoopOnce;
    module._PostgresMainLoopOnce = () => {
      try {
        loop();
      } catch (error) {
        if (typeof error !== 'string') end = new EngineStopped(lastError, error);
        throw error;
      }
    };
    const setExitStatus = module._pgl_setPGliteExitStatus;
    module._pgl_setPGliteExitStatus = (status) => {
      if (end) throw end;
      return setExitStatus(status);
    };
    isWatched = true;
  };

  engine.execProtocolRawSync = (message) => {
    if (end) throw end;
    const stack = engine.Module.___stack_pointer;
    const bottom = stack.value;
    try {
      return execute(message);
    } finally {
      stack.value = bottom;
      if (!isWatched) watch(engine.Module); // not before: the first call replaces the function
      if (end) onEnd(end);
    }
  };
}

/**
 * The database runs on the event loop. A queue of statements executed in one go would block everything else, even
 * refusals and health checks. So each statement waits for a new turn.
 */
function takeTurns(engine: Engine): void {
  const run = engine._runExclusiveTransaction.bind(engine);
  engine._runExclusiveTransaction = (work) =>
    run(async () => {
      await setImmediate();
      return work();
    });
}

/** Counts what PGlite's own queries answer. It hands their messages on as they are read, and no bytes. */
function countRead(engine: Engine): void {
  const execute = engine.execProtocolStream.bind(engine);
  engine.execProtocolStream = async (message, options) => {
    const messages = await execute(message, options);
    noteRead(messages.reduce((sum, { length }) => sum + length, 0));
    return messages;
  };
}

export interface Supervision {
  /** Whether what PostgreSQL syncs is on the disk. */
  isDurable: boolean;
  lastError: LastError;
  onEnd: (error: Error) => void;
  /** Awaited before the database is closed. */
  onClose: () => Promise<void>;
}

/** A PGlite extension, because extensions are set up before the first statement. */
export const supervised = ({
  isDurable = false,
  lastError = new LastError(),
  onEnd = () => {},
  onClose = async () => {},
}: Partial<Supervision>) => ({
  name: 'supervised',
  setup: async (engine: Engine, options: ModuleOptions) => {
    guardEngine(engine, onEnd, lastError);
    takeTurns(engine);
    countRead(engine);
    const printErr = (text: string) => lastError.record(text);
    const preRun = [...(options.preRun ?? []), ...(isDurable ? [makeDurable] : [])];
    return { emscriptenOpts: { ...options, printErr, preRun }, close: onClose };
  },
});
