import type { ServiceClock } from './clock.js';
import { type AnsweredError, errorOf, noAnswer, SteadyError } from './errors.js';
import { type DocumentNode, print } from './print.js';
import { PATIENCE } from './sending.js';

/** A text, or a document as GraphQL Code Generator makes it, whose types are those of the answer and the variables. */
export type TypedDocument<Result, Variables> =
  | string
  | ((DocumentNode | InstanceType<typeof String>) & { __apiType?: (variables: Variables) => Result });

interface Answer {
  data?: unknown;
  errors?: AnsweredError[];
}

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Whose request it is: by default, that of whoever is logged in. */
  token?: string | null;
  /** In milliseconds, to the end of the answer; null: as long as it takes. */
  patience?: number | null;
  signal?: AbortSignal;
}

/** One service, and who asks it. */
export class Connection {
  token: string | null;
  readonly base: string;

  constructor(
    url: string,
    token: string | null,
    private readonly send: typeof fetch,
    readonly clock: ServiceClock,
    /** A clock that was given is believed, whatever the service says. */
    private readonly comparesClocks: boolean,
  ) {
    this.base = url.replace(/\/+$/, '');
    this.token = token;
  }

  async ask<Result>(
    document: TypedDocument<Result, never>,
    variables: object = {},
    token = this.token,
  ): Promise<Result> {
    const response = await this.request('/graphql', {
      token,
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ query: textOf(document), variables }),
    });
    return (await dataIn(response)) as Result;
  }

  /** Whatever is answered. */
  async request(
    path: string,
    { patience = PATIENCE, signal, token = this.token, ...init }: Sent = {},
  ): Promise<Response> {
    const headers = { ...init.headers, ...(token && { authorization: `Bearer ${token}` }) };
    const signals = [signal, patience === null ? undefined : AbortSignal.timeout(patience)];
    const asked = Date.now();
    try {
      const response = await this.send(this.base + path, {
        ...init,
        headers,
        signal: AbortSignal.any(signals.filter((each) => each !== undefined)),
      });
      const there = Date.parse(response.headers.get('date') ?? '');
      if (this.comparesClocks) this.clock.compare(asked, there, Date.now());
      return response;
    } catch (error) {
      throw noAnswer(messageOf(error), error);
    }
  }
}

/** Throws the refusal in its place. */
export async function dataIn(response: Response): Promise<unknown> {
  const { data, errors } = await answerIn(response);
  const error = errors?.[0];
  if (error) throw errorOf(error);
  if (!data) throw noAnswer(`Answered with ${response.status}`);
  return data;
}

/** A proxy in front says in HTML that the service is away. */
async function answerIn(response: Response): Promise<Answer> {
  try {
    return (await response.json()) as Answer;
  } catch (error) {
    throw noAnswer(`Answered with ${response.status}`, error);
  }
}

/** The refusal in an answer of REST. */
export async function refusalIn(response: Response): Promise<SteadyError> {
  const { error } = (await answerIn(response)) as { error?: string };
  const reason = response.headers.get('error-reason') ?? undefined;
  const retryAfter = Number(response.headers.get('retry-after')) || undefined;
  return error && reason
    ? new SteadyError(error, { reason, retryAfter })
    : noAnswer(`Answered with ${response.status}`);
}

/** Node says why only in the cause. */
function messageOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message || message : (message ?? String(error));
}

export function textOf(document: TypedDocument<never, never> | TypedDocument<unknown, never>): string {
  return typeof document === 'object' && 'kind' in document ? print(document) : String(document);
}
