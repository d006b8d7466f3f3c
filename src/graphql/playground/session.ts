import { prefix } from './place';
import { Shown } from './shown';

/** The user of the playground. Kept until the last window closes, or until the user forgets the token. */
export interface Session {
  token: string;
  email: string | null;
}

const key = `${prefix}session`;
export const session = new Shown(restored());

// Other windows of this page: a new window asks them for the session, and each change is sent to them.
const others = new BroadcastChannel(key);
others.onmessage = ({ data }: MessageEvent<{ asks: true } | { session: Session | null }>) => {
  if ('session' in data) keep(data.session);
  else if (session.get()) others.postMessage({ session: session.get() });
};
if (!session.get()) others.postMessage({ asks: true });

/** Keeps the token of a sign-up or log-in, whatever alias it came under. */
export function learnFrom(data: unknown): void {
  const found = Object.values(data ?? {}).find(isSignIn);
  if (found) change({ token: found.token, email: found.user?.email ?? null });
}

export const forgetSession = () => change(null);

function change(next: Session | null): void {
  keep(next);
  others.postMessage({ session: next });
}

function keep(next: Session | null): void {
  if (next) sessionStorage.setItem(key, JSON.stringify(next));
  else sessionStorage.removeItem(key);
  session.set(next);
}

function restored(): Session | null {
  try {
    const { token, email } = JSON.parse(sessionStorage.getItem(key) ?? '{}');
    return isToken(token) ? { token, email: typeof email === 'string' ? email : null } : null;
  } catch {
    return null;
  }
}

// Any other text would make fetch throw, and block even signing up.
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
