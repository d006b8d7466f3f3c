import net, { type NetConnectOpts, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { eventually } from './eventually.js';

/** A port of this machine, or whatever has an address on one. */
type Place = number | { base: string };

const portOf = (place: Place) => (typeof place === 'number' ? place : Number(new URL(place.base).port));

/** Bytes as they are, on a connection that ends with its test; how it breaks is told by what was received. */
export function socketTo(place: Place, options: Partial<NetConnectOpts> = {}): Socket {
  const socket = net.connect({ ...options, port: portOf(place), host: '127.0.0.1' });
  onTestFinished(() => void socket.destroy());
  return socket.on('error', () => {});
}

export const statusesIn = (answers: string) =>
  [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

/** One that notes what comes back. */
class RawConnection {
  received = '';
  isClosed = false;

  constructor(readonly socket: Socket) {
    socket.setEncoding('utf8').on('data', (chunk) => {
      this.received += chunk;
    });
    socket.on('error', ({ message }) => {
      this.received += message;
    });
    socket.on('close', () => {
      this.isClosed = true;
    });
  }

  send = (bytes: string | Buffer) =>
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  pause = () => this.socket.pause();
  end = () => this.socket.end();
  statuses = () => statusesIn(this.received);
  /** Resolves once this many answers have begun. */
  answers = (count: number) => eventually(() => this.statuses().length >= count);
  /** All that has come when the connection is closed. */
  all = async () => {
    await eventually(() => this.isClosed);
    return this.received;
  };
}

/** Resolves when the connection is there. */
export async function rawConnection(place: Place): Promise<RawConnection> {
  const connection = new RawConnection(socketTo(place));
  await new Promise((resolve) => connection.socket.once('connect', resolve));
  return connection;
}

/** On a connection that is kept. */
export const LIVE = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';

/** A request whose body never comes, or stops where it has begun, behind one that has been answered. */
export async function stuckRequest(place: Place, begun = ''): Promise<RawConnection> {
  const connection = await rawConnection(place);
  const head = 'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
  connection.send(`${LIVE}${head}Content-Length: 9\r\n\r\n${begun}`);
  await connection.answers(1);
  return connection;
}

/** Opens a WebSocket as GraphQL over WebSocket does. */
export const HANDSHAKE = [
  'GET /graphql HTTP/1.1',
  'Host: x',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Protocol: graphql-transport-ws',
  '\r\n',
].join('\r\n');
