// Sends traces of Steady's requests and statements to an OpenTelemetry collector. See docs/operate.md, "Traces".
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { NodeSDK } from '@opentelemetry/sdk-node';

process.env.OTEL_SERVICE_NAME ??= 'steady';
process.env.OTEL_NODE_RESOURCE_DETECTORS ??= 'env'; // others tell the command line and the user of the process

const http = new HttpInstrumentation({
  disableOutgoingRequestInstrumentation: true,
  // The log has the same id as `request`, and the template of the route.
  applyCustomAttributesOnSpan(span, request, response) {
    const route = request.trail?.route;
    if (route) span.updateName(`${request.method} ${route}`).setAttribute('http.route', route);
    span.setAttribute('steady.request.id', String(response.getHeader('X-Request-Id')));
    span.setAttribute('url.query', ''); // it may hold what people have written
  },
});

const pg = new PgInstrumentation({
  requireParentSpan: true,
  ignoreConnectSpans: true,
  // Some statements hold values in their text, such as the e-mail and the password hash at a sign-up.
  requestHook(span, { query }) {
    span.setAttribute('db.query.text', query.text.replace(/'(?:[^']|'')*'/g, '?'));
  },
});

const sdk = new NodeSDK({ instrumentations: [http, pg], metricReaders: [], logRecordProcessors: [] });
sdk.start();

// A process that stops is told by a signal, one of several workers by its primary.
const end = () =>
  sdk.shutdown().catch((error) => console.error(`The last spans are not sent: ${error.code}`));
process.once('SIGTERM', end);
process.once('SIGINT', end);
process.on('message', (message) => message === 'drain' && end());
