export interface Traces {
  /** Undefined where a standard variable names the service. */
  serviceName: string | undefined;
}

/** Unless told otherwise, the SDK would send the command line, the user and the paths of the process along. */
export function limitDetectors(): void {
  // biome-ignore lint/style/noProcessEnv: the SDK reads it there
  process.env.OTEL_NODE_RESOURCE_DETECTORS ??= 'env';
}

/** Whether the operator has asked for all that the SDK says of itself, which it then writes to the console. */
export function wantsAllOfSdk(): boolean {
  // biome-ignore lint/style/noProcessEnv: it is for the SDK
  return /^(debug|verbose|all)$/i.test(process.env.OTEL_LOG_LEVEL ?? '');
}

/** In characters: a shorter one would be found in every other word. */
const SHORTEST_SECRET = 4;

/** What a header for the receiver may hold as a token, as it is written and as it is sent. Longest first. */
// biome-ignore lint/style/noProcessEnv: the SDK reads them there
export function secretsForReceiver(environment: NodeJS.ProcessEnv = process.env): string[] {
  const lists = Object.entries(environment).filter(([name]) => /^OTEL_EXPORTER_.*HEADERS$/.test(name));
  const values = lists.flatMap(([, list = '']) => list.split(',').map((pair) => pair.replace(/^[^=]*=/, '')));
  const forms = values.flatMap((value) => [value, decoded(value)]).map((value) => value.trim());
  const words = forms.flatMap((value) => [value, ...value.split(/\s+/)]);
  const secrets = [...new Set(words)].filter(({ length }) => length >= SHORTEST_SECRET);
  return secrets.sort((one, other) => other.length - one.length);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** OpenTelemetry's own variables: where spans go, and whether any do. The SDK reads them all, and the rest of them. */
export function tracesIn(environment: NodeJS.ProcessEnv): Traces | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT } = environment;
  const { OTEL_TRACES_EXPORTER, OTEL_SDK_DISABLED, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES } =
    environment;
  const goesSomewhere = OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  if (!goesSomewhere || OTEL_SDK_DISABLED === 'true' || OTEL_TRACES_EXPORTER === 'none') return undefined;
  const isNamed = OTEL_SERVICE_NAME || OTEL_RESOURCE_ATTRIBUTES?.includes('service.name=');
  return { serviceName: isNamed ? undefined : 'steady' };
}
