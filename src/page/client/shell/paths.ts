// This file is served from /page/assets below the public path.
const root = new URL(/* @vite-ignore */ '../../', import.meta.url);

/** The path of the page, with a slash at its end. */
export const home = import.meta.env.DEV ? '/' : root.pathname;

/** Of the names of what is kept: services below several public paths share an origin, and must not share tokens. */
export const prefix = `steady${home}page:`;

/** Without the last slash, the service worker would not answer for this address. */
if (`${location.pathname}/` === home) history.replaceState(null, '', home + location.search + location.hash);
