import { forbidden } from './errors.js';

/** What an API token may do. A scope that writes does not include READ, but shows what its own mutation has changed. */
export const ApiScope = {
  READ: 'READ',
  TASKS: 'TASKS',
  COMPLETIONS: 'COMPLETIONS',
  CHALLENGES: 'CHALLENGES',
  PROFILE: 'PROFILE',
} as const;
export type ApiScope = keyof typeof ApiScope;

/** Of an API token; null of a session, which may do everything. */
export type Scopes = readonly ApiScope[] | null;

/** The user whom a token authenticates, and the token itself. */
export interface Caller {
  userId: string;
  /** Null: never. */
  expiresAt: Date | null;
  /** A UUID. */
  tokenId: string;
  /** Tokens of earlier generations than the user's have been taken back. */
  generation: number;
  scopes: Scopes;
}

export const mayRead = ({ scopes }: Pick<Caller, 'scopes'>): boolean =>
  scopes === null || scopes.includes('READ');

const BEARER = /^Bearer +(\S+)$/i;

/** The token in a header, or in what a WebSocket sends in place of it; undefined in any other form. */
export const tokenIn = (authorization: unknown): string | undefined =>
  typeof authorization === 'string' ? BEARER.exec(authorization)?.[1] : undefined;

/**
 * Who may come in: anybody, only people who have logged in, or those and API tokens with that scope. What gives another
 * right, or one that lasts longer than the token, is for people who have logged in.
 */
export type Access = ApiScope | 'OPEN' | 'SESSION';

export const scopeMissing = (scope: ApiScope) =>
  forbidden(`The API token lacks the scope ${scope}`, 'SCOPE_MISSING');

export const sessionNeeded = () =>
  forbidden('An API token cannot do this: log in, and use the token of that session', 'SCOPE_MISSING');

export function assertMay(scopes: Scopes, access: Access): void {
  if (scopes === null || access === 'OPEN') return;
  if (access === 'SESSION') throw sessionNeeded();
  if (!scopes.includes(access)) throw scopeMissing(access);
}
