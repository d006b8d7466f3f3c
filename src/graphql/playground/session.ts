/** Whom the playground acts for: kept until the browser tab closes, or until it is told to forget. */
export interface Session {
  token: string;
  email: string | null;
}

const key = 'steady:session';
const listeners = new Set<() => void>();
let session = restored();

export const currentSession = () => session;

export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Keeps the token of a sign-up or log-in, whatever alias it came under. */
export function learnFrom(data: unknown): void {
  const found = Object.values(data ?? {}).find(isSignIn);
  if (found) change({ token: found.token, email: found.user?.email ?? null });
}

export const forgetSession = () => change(null);

function change(next: Session | null): void {
  session = next;
  if (next) sessionStorage.setItem(key, JSON.stringify(next));
  else sessionStorage.removeItem(key);
  for (const listener of listeners) listener();
}

function restored(): Session | null {
  try {
    const { token, email } = JSON.parse(sessionStorage.getItem(key) ?? '{}');
    return isToken(token) ? { token, email: typeof email === 'string' ? email : null } : null;
  } catch {
    return null;
  }
}

// Anything else would make fetch throw before it asks, and so shut out signing up too.
function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);
}

interface SignIn {
  token: string;
  user?: { email?: string };
}

function isSignIn(value: unknown): value is SignIn {
  const isObject = typeof value === 'object' && value !== null;
  return isObject && ('user' in value || 'expiresAt' in value) && 'token' in value && isToken(value.token);
}
