import { createRequire } from 'node:module';
import { limitDetectors, secretsForReceiver, wantsAllOfSdk } from '../config/traces.js';
import { projectFile } from '../files/project.js';
import { Complaints } from './complaints.js';
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

interface TracingSettings {
  /** Undefined where a standard variable names the service. */
  serviceName: string | undefined;
  onWarning: (line: string) => void;
}

/**
 * Loads the SDK, which reads the standard variables (where to send, in which protocol, sampling), and begins tracing.
 * Returns a function that sends the last spans and ends it.
 */
export function startTracing({ serviceName, onWarning }: TracingSettings): () => Promise<void> {
  let sdk: Sdk;
  try {
    limitDetectors();
    sdk = createRequire(projectFile('package.json'))(SDK);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'MODULE_NOT_FOUND' || !message.includes(`'${SDK}'`)) throw error;
    onWarning(`No traces are made: OTEL_… is set, and ${SDK} is not installed. Run: npm install ${SDK}`);
    return async () => {};
  }
  const complaints = new Complaints({ secrets: secretsForReceiver(), onWarning });
  const provider = startedBy(sdk, serviceName, complaints);
  if (!provider) return async () => {};
  const end = beginTracing();
  return async () => {
    end();
    const late = new Promise<Error>((resolve) =>
      setTimeout(resolve, FLUSHED_WITHIN, new Error('the last ones took too long')).unref(),
    );
    const sent = provider.shutdown().catch((error: unknown) => error);
    const fault = await Promise.race([sent, late]);
    if (fault !== undefined) complaints.notSent(fault);
  };
}

/** Undefined where the SDK cannot do what its variables say: then there are no traces, and the service goes on. */
function startedBy(sdk: Sdk, serviceName: string | undefined, complaints: Complaints): Provider | undefined {
  complaints.listen();
  try {
    const provider = new sdk.NodeSDK({ ...ONLY_TRACES, ...(serviceName && { serviceName }) });
    if (!wantsAllOfSdk()) complaints.listen();
    provider.start();
    complaints.settingsAreRead();
    return provider;
  } catch (error) {
    complaints.notStarted(error);
    return undefined;
  }
}
