/** What a link that leads here is for. */
export interface Link {
  kind: 'reset' | 'confirm' | 'undo-email' | 'login' | 'login-error';
  /** What makes it good, once; or the reason why a log-in at a provider came to nothing. */
  token: string;
}

const LINK = /^#(reset|confirm|undo-email|login|login-error)=([\w-]{1,200})$/;

/** Taken out of the address before anything else happens: histories and whoever looks over a shoulder keep it otherwise. */
function taken(): Link | null {
  const [found, kind, token] = LINK.exec(location.hash) ?? [];
  if (!found) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  return { kind: kind as Link['kind'], token: token ?? '' };
}

export const link = taken();

/** Whether it is of somebody who comes back from a provider of log-ins. */
export const isArrival = ({ kind }: Link): boolean => kind.startsWith('login');

/** One that is opened where the page is open already. */
export const followLinks = (): void =>
  addEventListener('hashchange', () => {
    if (LINK.test(location.hash)) location.reload();
  });
