import { compareClocks } from './clock.js';
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
export class NoAnswer extends Error {
  constructor(
    message: string,
    /** A sentence for the person, where the service gave one. */
    readonly sentence = '',
  ) {
    super(message);
  }
}

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
  const { data, errors } = (await answerTo<Data>(query, variables, token)) ?? {};
  const error = errors?.[0];
  if (data && !error) return data;
  const { reason, fields = [] } = error?.extensions ?? {};
  const message = String(error?.message);
  // Without a reason it is not the service that speaks, but something in front of it.
  if (!reason || PASSING.includes(reason)) throw new NoAnswer(message);
  if (reason === 'TOO_MANY_ATTEMPTS') throw new NoAnswer(message, message);
  const names = fields.map(({ name }) => name);
  throw new Refused(message, reason, names, token);
}

async function answerTo<Data>(
  query: string,
  variables: object,
  token: string | null,
): Promise<Answer<Data> | null> {
  const headers: Record<string, string> = { accept: 'application/json', 'content-type': 'application/json' };
  if (token) headers.authorization = `Bearer ${token}`;
  try {
    const body = JSON.stringify({ query, variables });
    const signal = AbortSignal.timeout(PATIENCE);
    const asked = Date.now();
    const response = await fetch(endpoint, { method: 'POST', headers, body, signal });
    compareClocks(asked, Date.parse(response.headers.get('date') ?? ''), Date.now());
    return await response.json(); // a proxy in front says in HTML that the service is away
  } catch (error) {
    throw new NoAnswer(String(error));
  }
}

/** For people. */
export function sentenceOf(error: unknown): string {
  if (error instanceof Refused) return `${error.message.replace(/\.$/, '')}.`;
  if (error instanceof NoAnswer && error.sentence) return `${error.sentence.replace(/\.$/, '')}.`;
  if (error instanceof NoAnswer) return 'The service does not answer. Please try again.';
  return `That went wrong: ${error}`;
}
