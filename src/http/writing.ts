import type { ServerResponse } from 'node:http';

/** The reason of an error, whose body is a sentence for people. */
export const ERROR_REASON = 'Error-Reason';

/** The fields of a body that nobody knows. */
export const IGNORED_FIELDS = 'Ignored-Fields';

/** Back-pressure: resolves when the client has read what was written, or has gone. */
export async function write(response: ServerResponse, data: string | Uint8Array): Promise<void> {
  if (response.closed || response.write(data)) return;
  await new Promise<void>((resolve) => {
    const onTaken = () => {
      response.off('drain', onTaken).off('close', onTaken);
      resolve();
    };
    response.on('drain', onTaken).on('close', onTaken);
  });
}

/** Tells caches that the answer depends on a header of the request. */
export function vary(response: ServerResponse, name: string): void {
  const names = String(response.getHeader('Vary') ?? '');
  if (!names.split(', ').includes(name)) response.setHeader('Vary', names ? `${names}, ${name}` : name);
}

/** As `response.json` of Express, for answers to requests that bypass it too. */
export function endWithJson(response: ServerResponse, status: number, value: object): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  endWith(response, JSON.stringify(value));
}

/** Ends the answer with a text. Written in one piece with the head, it takes one system call. */
export function endWith(response: ServerResponse, text: string): void {
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}
