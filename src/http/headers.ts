import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';
import type { Handler } from './server.js';

/**
 * Does not enforce https: that is for whoever terminates TLS, and pages must work over plain http in a local network.
 */
const protect = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  strictTransportSecurity: false,
  // Over plain http, browsers ignore these two and warn in every console.
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
});

/** Helmet's headers are the same for every answer, so it is asked once. */
function headersOfHelmet(): [name: string, value: string][] {
  const headers: [string, string][] = [];
  const response = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => {},
  };
  protect({} as IncomingMessage, response as unknown as ServerResponse, () => {});
  return headers;
}

const headers = headersOfHelmet();

export const safeHeaders: Handler = (_request, response, next) => {
  for (const [name, value] of headers) response.setHeader(name, value);
  next();
};
