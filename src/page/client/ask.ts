import { endpoint } from './place.js';

/** In milliseconds: the service answers within five seconds, by default, if it is reached at all. */
const PATIENCE = 12_000;

/** The service's "no", with a sentence for the person. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly reason: string,
    /** The inputs that are at fault. */
    readonly fields: readonly string[] = [],
    /** With which it was asked. */
    readonly token: string | null = null,
  ) {
    super(message);
  }
}

/** Nobody knows what became of the request, or the service is too busy for it: the same may succeed later. */
export class NoAnswer extends Error {}

const PASSING = ['OVERLOADED', 'DATABASE_AWAY', 'INTERNAL'];

const TOKEN = ['TOKEN_INVALID', 'TOKEN_MISSING'];

export const hasTokenEnded = (error: unknown): error is Refused =>
  error instanceof Refused && TOKEN.includes(error.reason);

interface Answer<Data> {
  data?: Data;
  errors?: {
    message: string;
    extensions?: { reason?: string; fields?: { name: string }[] };
  }[];
}

export async function ask<Data>(query: string, variables: object, token: string | null): Promise<Data> {
  const { data, errors } = await answerTo<Data>(query, variables, token);
  const [error] = errors ?? [];
  const { reason = '', fields = [] } = error?.extensions ?? {};
  if (PASSING.includes(reason)) throw new NoAnswer(error?.message);
  if (error || !data) {
    const names = fields.map(({ name }) => name);
    throw new Refused(error?.message ?? 'The service gave no answer', reason, names, token);
  }
  return data;
}

async function answerTo<Data>(query: string, variables: object, token: string | null): Promise<Answer<Data>> {
  const headers: Record<string, string> = { accept: 'application/json', 'content-type': 'application/json' };
  if (token) headers.authorization = `Bearer ${token}`;
  try {
    const body = JSON.stringify({ query, variables });
    const signal = AbortSignal.timeout(PATIENCE);
    const asked = Date.now();
    const response = await fetch(endpoint, { method: 'POST', headers, body, signal });
    learnClock(response, asked);
    return await response.json(); // a proxy in front says in HTML that the service is away
  } catch (error) {
    throw new NoAnswer(String(error));
  }
}

let ahead = 0;

/** In milliseconds: how far the service's clock is ahead of this device's, where that is not a matter of rounding. */
export const clockIsAhead = (): number => ahead;

function learnClock({ headers }: Response, asked: number): void {
  const there = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(there)) return;
  const difference = there - asked;
  ahead = Math.abs(difference) > 2_000 ? difference : 0;
}

/** For people. */
export function sentenceOf(error: unknown): string {
  if (error instanceof Refused) return `${error.message.replace(/\.$/, '')}.`;
  if (error instanceof NoAnswer) return 'The service does not answer. Please try again.';
  return `That went wrong: ${error}`;
}
