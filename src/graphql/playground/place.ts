/** Where this page is served, which is where it asks. */
export const endpoint = location.pathname;

/**
 * Of the keys of what is kept. Services below several public paths share an origin, and must not share tokens. The
 * page of the REST API joins the channel of the session by the same key.
 */
export const prefix = `steady${endpoint.replace(/\/graphql\/?$/i, '')}:`;
