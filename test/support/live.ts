import { type Client, createClient } from 'graphql-ws';
import { sql } from 'kysely';
import { expect, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { eventually } from './eventually.js';
import type { World } from './world.js';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type Result = any;

export interface Somewhere {
  base: string;
  token?: string;
}

export const PROGRESS = `subscription {
  progressChanged {
    kind
    user { id points currentStreak }
    task { id completionCount }
    completion { id points task { id } }
  }
}`;
export const CHALLENGE = 'subscription { challengeChanged { id status notes template { id } } }';

export const socketAddress = ({ base }: Somewhere) => `${base.replace('http', 'ws')}/graphql`;

/** A client over a WebSocket that does not connect again by itself. */
export function socketOf(somewhere: Somewhere, options: { retryAttempts?: number } = {}): Client {
  const { token } = somewhere;
  const client = createClient({
    url: socketAddress(somewhere),
    webSocketImpl: WebSocket,
    connectionParams: token ? { authorization: `Bearer ${token}` } : {},
    retryAttempts: 0,
    retryWait: async () => {},
    ...options,
  });
  onTestFinished(() => client.dispose());
  return client;
}

/** The only result, or the first one. */
export async function firstOf(
  client: Client,
  query: string,
  variables?: Record<string, unknown>,
): Promise<Result> {
  try {
    for await (const result of client.iterate({ query, variables })) return result;
  } catch (error) {
    // graphql-ws throws the whole event of the closing, with everything that hangs on its socket.
    const { code, reason } = error as { code?: number; reason?: string };
    if (error instanceof Error || code === undefined) throw error;
    throw Object.assign(new Error(`Closed with ${code} ${reason}`), { code, reason });
  }
}

/** An event stream: the headers have arrived, so a subscription is in force. */
export class EventStream {
  private rest = '';
  private readonly frames: string[] = [];
  private readonly reader: ReadableStreamDefaultReader<string>;

  constructor(
    readonly response: Response,
    readonly close: () => void,
  ) {
    if (!response.body) throw new Error('No stream');
    this.reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** The next frame as it came; undefined at the end. */
  async frame(): Promise<string | undefined> {
    for (;;) {
      const frame = this.frames.shift();
      if (frame !== undefined) return frame;
      const { value, done } = await this.reader.read();
      if (done) return undefined;
      const parts = (this.rest + value).split('\n\n');
      this.rest = parts.pop() ?? '';
      this.frames.push(...parts);
    }
  }

  /** The next result, past any signs of life; undefined when it is complete. */
  async next(): Promise<Result> {
    for (let frame = await this.frame(); frame !== undefined; frame = await this.frame()) {
      const result = /^event: next\ndata: (.*)$/.exec(frame)?.[1];
      if (result) return JSON.parse(result);
      if (frame === 'event: complete\ndata:') return undefined;
      if (frame !== ':') throw new Error(`Unexpected frame: ${frame}`);
    }
    throw new Error('Broken off');
  }
}

export async function streamOf({ base, token }: Somewhere, query: string): Promise<EventStream> {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const response = await fetch(`${base}/graphql`, {
    method: 'POST',
    headers: {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ query }),
    signal: stop.signal,
  });
  return new EventStream(response, () => stop.abort());
}

/** Resolves once changes of this user are announced: a WebSocket does not tell when a subscription is in force. */
export const untilHeard = ({ database }: World, { id }: { id: string }) =>
  eventually(async () => {
    const { rows } = await sql`select from listeners where user_id = ${id}`.execute(database.query());
    return rows.length > 0;
  });

export const code = (value: string) =>
  expect.objectContaining({ extensions: expect.objectContaining({ code: value }) });
