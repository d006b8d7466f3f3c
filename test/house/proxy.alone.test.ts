import net from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.js';
import { isCommit, isStatement, startProxy } from '../support/proxy.js';
import { type PostgresServer, startPostgres } from '../support/server.js';

/** A client of a server that echoes, with a proxy between them. */
async function echo() {
  const arrived: string[] = [];
  const server = net.createServer((socket) => {
    socket.on('data', (chunk) => {
      arrived.push(String(chunk));
      socket.write(chunk);
    });
    socket.on('error', () => {});
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as net.AddressInfo).port));
  });
  const proxy = await startProxy(port);
  onTestFinished(async () => {
    await proxy.stop();
    server.close();
  });
  const dial = async () => {
    const socket = net.connect(proxy.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const client = { heard: '', ended: false, error: '', say: (text: string) => socket.write(text), socket };
    socket.on('data', (chunk) => {
      client.heard += chunk;
    });
    socket.on('end', () => {
      client.ended = true;
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      client.error = code ?? '';
    });
    await new Promise((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return client;
  };
  return { proxy, dial, arrived: () => arrived.join('') };
}

const until = (condition: () => boolean) => eventually(condition);

describe('The proxy of the tests, for any bytes,', () => {
  it('passes everything on', async () => {
    const { dial } = await echo();
    const client = await dial();
    const text = 'x'.repeat(1_000_000);
    client.say(text);
    await until(() => client.heard.length === text.length);
  });

  it('delays each way, in order', async () => {
    const { proxy, dial } = await echo();
    const client = await dial();
    proxy.delay(50);
    const since = performance.now();
    client.say('a');
    client.say('b');
    await until(() => client.heard === 'ab');
    expect(performance.now() - since).toBeGreaterThan(99);
  });

  it('stalls one connection or all, and what was held arrives later, even from a sender that has gone', async () => {
    const { proxy, dial, arrived } = await echo();
    const [one, other] = [await dial(), await dial()];
    await until(() => proxy.wires.size === 2);
    const [wire] = proxy.wires;
    wire?.stall();
    one.say('1');
    other.say('2');
    await until(() => other.heard === '2');
    expect(arrived()).toBe('2');
    one.socket.destroy();
    wire?.resume();
    await until(() => arrived() === '21');

    proxy.stall();
    const late = await dial();
    late.say('3');
    other.say('4');
    await until(() => other.socket.bytesWritten === 2 && late.socket.bytesWritten === 1);
    expect([late.heard, other.heard]).toEqual(['', '2']);
    await proxy.heal();
    await until(() => late.heard === '3' && other.heard === '24');
  });

  it('cuts in order, and resets', async () => {
    const { proxy, dial } = await echo();
    const first = await dial();
    first.say('1');
    await until(() => first.heard === '1');
    proxy.cut();
    await until(() => first.ended);
    expect(first.error).toBe('');
    const second = await dial();
    second.say('2');
    await until(() => second.heard === '2');
    proxy.reset();
    await until(() => second.error === 'ECONNRESET');
    await until(() => proxy.wires.size === 0);
  });

  it.each(['toServer', 'toClient'] as const)('cuts after n bytes %s', async (direction) => {
    const { proxy, dial, arrived } = await echo();
    proxy.cutAfter(3, direction);
    const client = await dial();
    client.say('12345');
    await until(() => client.ended);
    expect(direction === 'toServer' ? arrived() : client.heard).toBe('123');
  });

  it('refuses, and comes back on the same port', async () => {
    const { proxy, dial } = await echo();
    const { port } = proxy;
    proxy.refuse();
    await expect(dial()).rejects.toThrow('ECONNREFUSED');
    await proxy.accept();
    const client = await dial();
    client.say('1');
    await until(() => client.heard === '1');
    expect(proxy.port).toBe(port);
  });
});

describe('The proxy of the tests, before a database,', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
    await server.execute('create table notes (text text)');
  });
  afterAll(() => server.stop());

  async function connected() {
    const proxy = await startProxy(Number(new URL(server.url('postgres')).port));
    onTestFinished(() => proxy.stop());
    const connect = async (address: string) => {
      const client = new pg.Client(address);
      client.on('error', () => {});
      await client.connect();
      onTestFinished(() => void client.end().catch(() => {}));
      return client;
    };
    const direct = await connect(server.url('postgres'));
    const through = await connect(proxy.through(server.url('postgres')));
    const stored = async (text: string) =>
      (await direct.query('select 1 from notes where text = $1', [text])).rows.length;
    return { proxy, through, stored };
  }

  const insert = (client: pg.Client, text: string) => client.query('insert into notes values ($1)', [text]);

  it('swallows the answer of a statement that commits by itself: it is stored, and nobody says so', async () => {
    const { proxy, through, stored } = await connected();
    const swallowed = proxy.swallow(isStatement('into notes'));
    let answer = 'none';
    through.query('select 1').catch(() => {}); // another statement before it is answered
    insert(through, 'silence').then(
      () => (answer = 'stored'),
      () => (answer = 'failed'),
    );
    await swallowed;
    expect(await stored('silence')).toBe(1);
    expect(answer).toBe('none');
    proxy.cut();
    await until(() => answer === 'failed');
  });

  it.each(['cut', 'reset'] as const)('swallows the answer of a commit, then makes a %s', async (ending) => {
    const { proxy, through, stored } = await connected();
    await through.query('begin');
    await insert(through, ending);
    const swallowed = proxy.swallow(isCommit, ending);
    await expect(through.query('commit')).rejects.toThrow(/terminated|ECONNRESET/);
    await swallowed;
    expect(await stored(ending)).toBe(1);
  });

  it('holds a statement back before the server sees it, and lets it go when its sender has given up', async () => {
    const { proxy, through, stored } = await connected();
    const held = proxy.when(isStatement('into notes'), (wire) => wire.stall());
    const lost = insert(through, 'held').catch((error: Error) => error.message);
    const wire = await held;
    expect(await stored('held')).toBe(0);
    (through as unknown as { connection: { stream: net.Socket } }).connection.stream.destroy();
    expect(await lost).toMatch(/terminated/);
    wire.resume();
    await eventually(async () => (await stored('held')) === 1);
  });
});
