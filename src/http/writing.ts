import type { ServerResponse } from 'node:http';

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

/** Ends the answer with a text. Written in one piece with the head, it takes one system call. */
export function endWith(response: ServerResponse, text: string): void {
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}
