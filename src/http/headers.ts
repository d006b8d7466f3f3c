import helmet from 'helmet';

/** Nothing here forces https: whoever terminates TLS does that, and pages must work on a plain local network. */
export const safeHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  strictTransportSecurity: false,
  // Browsers ignore these two on plain http, and say so in every console.
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
});
