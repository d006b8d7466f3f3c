import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import net, { type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Unread } from '../../src/http/connections.js';
import { eventually } from '../support/eventually.js';

const MEGABYTE = 1_000_000;

/** Between two sweeps. The system passes on some hundred kilobytes at a time. */
const PACE = 200_000;

/** Connections whose server's sides are followed. Through a file: the system keeps little of what is on its way. */
async function connections(unread: Unread, count: number) {
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-unread-'));
  const place = path.join(folder, 'socket');
  const server = net.createServer();
  server.listen(place);
  await once(server, 'listening');
  const pairs: { client: Socket; socket: Socket }[] = [];
  onTestFinished(() => {
    for (const { client, socket } of pairs) {
      client.destroy();
      socket.destroy();
    }
    server.close();
    rmSync(folder, { recursive: true });
  });
  while (pairs.length < count) {
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const client = net.connect(place);
    const [socket] = await accepted;
    for (const each of [client, socket]) each.on('error', () => {});
    unread.follow(socket);
    pairs.push({ client, socket });
  }
  return pairs;
}

const queuedOn = (socket: Socket) =>
  (socket as unknown as { _handle: { writeQueueSize: number } })._handle.writeQueueSize;

/** Reads so many bytes and some more, as the system gives them. Resolves when the server has learned of it. */
async function take({ client, socket }: { client: Socket; socket: Socket }, bytes: number): Promise<number> {
  const before = queuedOn(socket);
  const isTaken = () => socket.destroyed || before - queuedOn(socket) >= bytes;
  while (!isTaken()) {
    client.read();
    await new Promise(setImmediate);
  }
  return socket.destroyed ? 0 : before - queuedOn(socket);
}

describe('A client that takes its answer', () => {
  it('more slowly than at the slowest pace is cut off, though it takes some of it all the time', async () => {
    const unread = new Unread(Number.POSITIVE_INFINITY, PACE);
    const [pair] = await connections(unread, 1);
    if (!pair) throw new Error('No connection');
    pair.socket.write(Buffer.alloc(100 * MEGABYTE));
    let credit = 0;
    let sweeps = 0;
    for (; !pair.socket.destroyed && sweeps < 200; sweeps += 1) {
      credit += 0.75 * PACE;
      if (credit > 0) credit -= await take(pair, 1);
      unread.sweep();
    }
    expect(pair.socket.destroyed).toBe(true);
    expect(sweeps).toBeGreaterThan(16);
    expect(sweeps).toBeLessThan(200);
  });

  it('at the slowest pace is served to the end, even if it pauses in between', async () => {
    const unread = new Unread(Number.POSITIVE_INFINITY, PACE);
    const [pair] = await connections(unread, 1);
    if (!pair) throw new Error('No connection');
    pair.socket.write(Buffer.alloc(50 * MEGABYTE));
    for (let round = 0; queuedOn(pair.socket) > 0; round += 1) {
      const due = Math.min(10 * PACE, queuedOn(pair.socket));
      await take(pair, due);
      for (let sweep = 0; sweep < 10; sweep += 1) unread.sweep();
      expect(pair.socket.destroyed, `after ${round} rounds`).toBe(false);
    }
  });

  it('not at all is cut off, however much it took before, and however many answers follow', async () => {
    const unread = new Unread(Number.POSITIVE_INFINITY, PACE);
    const [pair] = await connections(unread, 1);
    if (!pair) throw new Error('No connection');
    pair.socket.write(Buffer.alloc(20 * MEGABYTE));
    unread.sweep();
    await take(pair, 10 * MEGABYTE);
    for (let sweep = 0; sweep < 17; sweep += 1) {
      expect(pair.socket.destroyed).toBe(false);
      pair.socket.write('another answer');
      unread.sweep();
    }
    unread.sweep();
    expect(pair.socket.destroyed).toBe(true);
  });
});

describe('Clients that together leave too much unread', () => {
  it('are cut off, those first that have held much for long, until the rest is within the limit', async () => {
    const unread = new Unread(50 * MEGABYTE);
    const pairs = await connections(unread, 8);
    const [old, oldest, ...young] = pairs.map(({ socket }) => socket);
    oldest?.write(Buffer.alloc(9 * MEGABYTE));
    unread.sweep();
    old?.write(Buffer.alloc(9 * MEGABYTE));
    unread.sweep();
    for (const socket of young) socket.write(Buffer.alloc(10 * MEGABYTE));
    await eventually(() => pairs.filter(({ socket }) => socket.destroyed).length >= 3);
    expect([old, oldest].map((socket) => socket?.destroyed)).toEqual([true, true]);
    expect(young.filter((socket) => socket.destroyed)).toHaveLength(1);
  });

  it('are not counted once they have taken their answers, or have gone', async () => {
    const unread = new Unread(250 * MEGABYTE);
    const pairs = await connections(unread, 6);
    for (const { client, socket } of pairs.slice(0, 3)) {
      socket.write(Buffer.alloc(10 * MEGABYTE));
      client.resume();
      await eventually(() => socket.writableLength === 0);
    }
    for (const { client, socket } of pairs.slice(3)) {
      socket.write(Buffer.alloc(20 * MEGABYTE));
      client.destroy();
      await eventually(() => socket.destroyed);
    }
    expect(pairs.slice(0, 3).map(({ socket }) => socket.destroyed)).toEqual([false, false, false]);
  });
});
