import helmet from 'helmet';

/**
 * Does not enforce https: that is for whoever terminates TLS, and pages must work over plain http in a local network.
 */
export const safeHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  strictTransportSecurity: false,
  // Over plain http, browsers ignore these two and warn in every console.
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
});
