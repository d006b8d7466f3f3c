import { DataDirectoryError } from '../../files/data-directory.js';
import { keepPrivate, type ModuleWithFiles, makeDurable } from './durable-files.js';

/** The parts of PGlite that we use. */
export interface Engine {
  Module: EngineModule;
  execProtocolRawSync(message: Uint8Array): Uint8Array;
  execProtocolRawStream(
    message: Uint8Array,
    options: { syncToFs: boolean; onRawData: (piece: Uint8Array) => void },
  ): Promise<void>;
  dumpDataDir(compression: 'none'): Promise<Blob>;
  close(): Promise<void>;
}

interface EngineModule {
  _PostgresMainLoopOnce(): void;
  /** Called after each exception. */
  stackRestore(pointer: number): void;
}

/** The status of the exception by which a failed statement ends. */
const STATEMENT_FAILED = 100;

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
 * An exception that is not that of a failed statement means that PostgreSQL has crashed. PGlite would go on with the
 * rest of the message, so it is interrupted, and no statement is sent any more.
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
        const { status } = error as { status?: number };
        if (status !== STATEMENT_FAILED) end = new EngineStopped(lastError, error);
        throw error;
      }
    };
    const restore = module.stackRestore;
    module.stackRestore = (pointer) => {
      if (end) throw end;
      restore(pointer);
    };
    isWatched = true;
  };

  engine.execProtocolRawSync = (message) => {
    if (end) throw end;
    if (!isWatched) watch(engine.Module);
    try {
      return execute(message);
    } finally {
      if (end) {
        onEnd(end);
        // biome-ignore lint/correctness/noUnsafeFinally: what else fails then follows from it
        throw end;
      }
    }
  };
}

export interface Supervision {
  /** Whether what PostgreSQL syncs is on the disk. */
  isDurable: boolean;
  lastError: LastError;
  onEnd: (error: Error) => void;
}

/** A PGlite extension, because extensions are set up before the first statement. */
export const supervised = ({
  isDurable = false,
  lastError = new LastError(),
  onEnd = () => {},
}: Partial<Supervision>) => ({
  name: 'supervised',
  setup: async (engine: Engine, options: ModuleOptions) => {
    guardEngine(engine, onEnd, lastError);
    const printErr = (text: string) => lastError.record(text);
    const preRun = [...(options.preRun ?? []), keepPrivate, ...(isDurable ? [makeDurable] : [])];
    return { emscriptenOpts: { ...options, printErr, preRun } };
  },
});
