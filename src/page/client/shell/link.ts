/** A link from a mail. */
export interface MailedLink {
  kind: 'reset' | 'confirm' | 'undo-email';
  /** What makes it good, once. */
  token: string;
}

/** The way back from a provider of log-ins. */
export interface Arrival {
  kind: 'login' | 'login-error';
  /** What makes it good, once; or the reason why the log-in came to nothing. */
  token: string;
}

export type Link = MailedLink | Arrival;

const LINK = /^#(reset|confirm|undo-email|login|login-error)=([\w-]{1,200})$/;

/** Taken out of the address before anything else happens: histories and whoever looks over a shoulder keep it otherwise. */
function taken(): Link | null {
  const [found, kind, token] = LINK.exec(location.hash) ?? [];
  if (!found) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  return { kind, token: token ?? '' } as Link;
}

export const link = taken();

export const isArrival = (link: Link): link is Arrival => link.kind.startsWith('login');

/** One that is opened where the page is open already. */
export const followLinks = (): void =>
  addEventListener('hashchange', () => {
    if (LINK.test(location.hash)) location.reload();
  });
