import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { configOf } from '../support/database.js';
import { socketAddress } from '../support/live.js';
import { world } from '../support/world.js';

const APP = 'https://app.example.com';

/** What becomes of a WebSocket that a page of this origin opens. */
const opened = (base: string, origin?: string) =>
  new Promise<string | number | undefined>((resolve) => {
    const socket = new WebSocket(socketAddress({ base }), 'graphql-transport-ws', {
      ...(origin && { origin }),
    });
    socket.on('error', () => {});
    socket.on('unexpected-response', (request, { statusCode }) => {
      resolve(statusCode);
      request.destroy();
    });
    socket.on('open', () => {
      resolve('open');
      socket.terminate();
    });
  });

describe('A WebSocket, for which browsers ask no leave,', () => {
  it.each(['https://evil.example', 'null', 'http://localhost', 'file://', APP, 'nonsense'])(
    'is not opened for a page of %s',
    async (origin) => {
      const { base } = await world();
      expect(await opened(base, origin)).toBe(403);
    },
  );

  it('is opened for a page of an origin that is let in', async () => {
    const { base } = await world({ config: configOf({ CORS_ORIGINS: APP }) });
    expect(await opened(base, APP)).toBe('open');
    expect(await opened(base, `${APP}.evil.example`)).toBe(403);
  });

  it('is opened for our own pages, and for clients that are no pages', async () => {
    const { base } = await world();
    expect(await opened(base, base)).toBe('open');
    expect(await opened(base, base.replace('http', 'https'))).toBe('open'); // behind a proxy with TLS
    expect(await opened(base)).toBe('open');
  });
});
