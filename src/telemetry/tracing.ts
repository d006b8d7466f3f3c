import { createRequire } from 'node:module';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { limitDetectors } from '../config/traces.js';
import { projectFile } from '../files/project.js';
import { beginTracing } from './spans.js';

/** What the operator installs to have traces; the service itself only knows OpenTelemetry's interface. */
const SDK = '@opentelemetry/sdk-node';

/** In milliseconds: how long the last spans may take to be sent when the service stops. */
const FLUSHED_WITHIN = 1_000;

interface Sdk {
  NodeSDK: new (settings: Settings) => Provider;
}

interface Settings {
  instrumentations: [];
  metricReaders: [];
  logRecordProcessors: [];
  serviceName?: string;
}

interface Provider {
  start(): void;
  shutdown(): Promise<void>;
}

/** Traces alone: else the SDK would send metrics and lines as well, to a receiver that may take none. */
const ONLY_TRACES: Settings = { instrumentations: [], metricReaders: [], logRecordProcessors: [] };

/** In milliseconds: a line for each batch of spans that nobody takes would be a flood. */
const INTERVAL = 300_000;

interface TracingSettings {
  /** Undefined where a standard variable names the service. */
  serviceName: string | undefined;
  /** Whether the operator has asked for what the SDK says, which it then writes to the console. */
  writesLog: boolean;
  onWarning: (line: string) => void;
}

/**
 * Loads the SDK, which reads the standard variables (where to send, in which protocol, sampling), and begins tracing.
 * Returns a function that sends the last spans and ends it. No fault of the SDK ends the service.
 */
export function startTracing({ onWarning, ...settings }: TracingSettings): () => Promise<void> {
  const onFault = faultsTold(onWarning);
  let provider: Provider;
  try {
    limitDetectors();
    const sdk: Sdk = createRequire(projectFile('package.json'))(SDK);
    provider = startedBy(sdk, settings, onFault);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'MODULE_NOT_FOUND' && message.includes(`'${SDK}'`))
      onWarning(`No traces are made: OTEL_… is set, and ${SDK} is not installed. Run: npm install ${SDK}`);
    else onFault(error);
    return async () => {};
  }
  const end = beginTracing();
  return async () => {
    end();
    const late = new Promise<Error>((resolve) =>
      setTimeout(resolve, FLUSHED_WITHIN, new Error('the last ones took too long')).unref(),
    );
    const sent = provider.shutdown().catch((error: unknown) => error);
    const fault = await Promise.race([sent, late]);
    if (fault !== undefined) onFault(fault);
  };
}

function startedBy(
  { NodeSDK }: Sdk,
  { serviceName, writesLog }: Omit<TracingSettings, 'onWarning'>,
  onFault: (...said: unknown[]) => void,
): Provider {
  const provider = new NodeSDK({ ...ONLY_TRACES, ...(serviceName && { serviceName }) });
  const nothing = () => {};
  const logger = { error: onFault, warn: onFault, info: nothing, debug: nothing, verbose: nothing };
  if (!writesLog) diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  provider.start();
  return provider;
}

/** At most a line in a while. The SDK's own words may hold what a header or an address keeps secret. */
function faultsTold(onWarning: (line: string) => void): (...said: unknown[]) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  return (...said) => {
    if (performance.now() - toldAt < INTERVAL) return;
    toldAt = performance.now();
    const [code] = /\bE[A-Z]{5,}\b/.exec(said.map(String).join(' ')) ?? [];
    const why = code ? ` (${code})` : '';
    onWarning(
      `Traces are not sent as they should be, and the service goes on${why}: OTEL_LOG_LEVEL=warn says more`,
    );
  };
}
