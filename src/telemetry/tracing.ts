import { createRequire } from 'node:module';
import { limitDetectors } from '../config/traces.js';
import { projectFile } from '../project.js';
import { beginTracing } from './spans.js';

/** What the operator installs to have traces; the service itself only knows OpenTelemetry's interface. */
const SDK = '@opentelemetry/sdk-node';

/** In milliseconds: how long the last spans may take to be sent when the service stops. */
const FLUSHED_WITHIN = 1_000;

interface Sdk {
  NodeSDK: new (settings: {
    instrumentations: [];
    serviceName?: string;
  }) => {
    start(): void;
    shutdown(): Promise<void>;
  };
}

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
  const provider = new sdk.NodeSDK({ instrumentations: [], ...(serviceName && { serviceName }) });
  provider.start();
  const end = beginTracing();
  return async () => {
    end();
    const late = new Promise<void>((resolve) => setTimeout(resolve, FLUSHED_WITHIN).unref());
    await Promise.race([provider.shutdown().catch(() => {}), late]);
  };
}
