export interface Traces {
  /** Undefined where a standard variable names the service. */
  serviceName: string | undefined;
  /** Whether the operator has asked for what the SDK says, which it then writes to the console. */
  writesLog: boolean;
}

/** Unless told otherwise, the SDK would send the command line, the user and the paths of the process along. */
export function limitDetectors(): void {
  // biome-ignore lint/style/noProcessEnv: the SDK reads it there
  process.env.OTEL_NODE_RESOURCE_DETECTORS ??= 'env';
}

/** OpenTelemetry's own variables: where spans go, and whether any do. The SDK reads them all, and the rest of them. */
export function tracesIn(environment: NodeJS.ProcessEnv): Traces | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT } = environment;
  const { OTEL_TRACES_EXPORTER, OTEL_SDK_DISABLED, OTEL_LOG_LEVEL } = environment;
  const { OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES } = environment;
  const goesSomewhere = OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  if (!goesSomewhere || OTEL_SDK_DISABLED === 'true' || OTEL_TRACES_EXPORTER === 'none') return undefined;
  const isNamed = OTEL_SERVICE_NAME || OTEL_RESOURCE_ATTRIBUTES?.includes('service.name=');
  return { serviceName: isNamed ? undefined : 'steady', writesLog: Boolean(OTEL_LOG_LEVEL) };
}
