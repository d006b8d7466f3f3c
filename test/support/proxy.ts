import net from 'node:net';
import { frames, type Message } from './wire-protocol.js';

/** The way bytes go: from the service to the database, or back. */
type Direction = 'toServer' | 'toClient';
type Matches = (message: Message) => boolean;
type Ending = 'cut' | 'reset';

/** The end of a transaction. */
export const isCommit: Matches = ({ type, text }) => type === 'Q' && /^commit\b/i.test(text);

/** A statement with parameters that contains `words`; outside a transaction it commits by itself. */
export const isStatement =
  (words: string): Matches =>
  ({ type, text }) =>
    type === 'B' && text.includes(words);

/** One way of one connection: what has arrived leaves in its order, after the delay, unless stalled. */
class Flow {
  private readonly queue: { due: number; act: () => void }[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly wire: Wire) {}

  add(act: () => void): void {
    this.queue.push({ due: performance.now() + this.wire.delayed, act });
    this.move();
  }

  /** In front of all that waits. */
  putBack(act: () => void): void {
    this.queue.unshift({ due: 0, act });
  }

  move(): void {
    clearTimeout(this.timer);
    while (!this.wire.isStalled) {
      const [first] = this.queue;
      if (!first) return;
      const wait = first.due - performance.now();
      if (wait > 0) {
        this.timer = setTimeout(() => this.move(), Math.ceil(wait));
        return;
      }
      this.queue.shift();
      first.act();
    }
  }
}

/** One connection. What is stalled is not lost: it arrives after `resume`, even when its sender has gone. */
export class Wire {
  delayed = 0;
  isStalled = false;
  /** How many have been handed on to the client. */
  notifications = 0;
  private isSwallowing = false;
  private isOver = false;
  private readonly flows = { toServer: new Flow(this), toClient: new Flow(this) };
  private readonly left: Record<Direction, number> = { toServer: Infinity, toClient: Infinity };
  private readonly asked = frames('client');
  private readonly said = frames('server');
  private unheard = frames('server');
  private afterAnswer: () => void = () => {};

  constructor(
    private readonly client: net.Socket,
    private readonly server: net.Socket,
    private readonly rules: (message: Message, wire: Wire) => void,
    whenClosed: () => void,
  ) {
    this.connect('toServer', client, server);
    this.connect('toClient', server, client);
    for (const socket of [client, server])
      socket.setNoDelay(true).once('close', () => client.closed && server.closed && whenClosed());
  }

  /** Each chunk arrives so much later; 0 ends it. */
  delay(milliseconds: number): void {
    this.delayed = milliseconds;
  }

  /** Bytes go neither way; the connection stays. */
  stall(): void {
    this.isStalled = true;
  }

  resume(): void {
    this.isStalled = false;
    this.flows.toServer.move();
    this.flows.toClient.move();
  }

  /** Both sides see the other end it in order. */
  cut(): void {
    this.isOver = true;
    this.client.end();
    this.server.end();
  }

  /** Both sides see it break. */
  reset(): void {
    this.isOver = true;
    this.client.resetAndDestroy();
    this.server.resetAndDestroy();
  }

  /** After so many more bytes in this direction, which still arrive. */
  cutAfter(bytes: number, direction: Direction): void {
    this.left[direction] = bytes;
  }

  /** Answers from now on never arrive; the first whole one may end the connection. */
  swallow(afterAnswer: () => void = () => {}): void {
    this.isSwallowing = true;
    this.unheard = frames('server');
    this.afterAnswer = afterAnswer;
  }

  private connect(direction: Direction, from: net.Socket, to: net.Socket): void {
    const flow = this.flows[direction];
    const write = (chunk: Buffer) => this.write(direction, to, chunk);
    from.on('data', (chunk) => {
      flow.add(() => {
        if (direction === 'toClient') return write(chunk);
        for (const message of this.asked(chunk)) this.rules(message, this);
        if (this.isStalled) flow.putBack(() => write(chunk));
        else write(chunk);
      });
    });
    from.on('end', () => flow.add(() => to.end()));
    from.on('error', () => flow.add(() => to.resetAndDestroy()));
  }

  private write(direction: Direction, to: net.Socket, chunk: Buffer): void {
    if (this.isOver || to.destroyed) return;
    if (direction === 'toClient' && this.isSwallowing) {
      for (const { type } of this.unheard(chunk)) if (type === 'Z') this.afterAnswer();
      return;
    }
    const left = this.left[direction];
    this.left[direction] = left - chunk.length;
    to.write(chunk.length > left ? chunk.subarray(0, left) : chunk);
    if (direction === 'toClient') {
      for (const { type } of this.said(chunk)) if (type === 'A') this.notifications += 1;
    }
    if (this.left[direction] <= 0) this.cut();
  }
}

/** Stands between the service and its database, and does what networks do. */
export class TcpProxy {
  readonly wires = new Set<Wire>();
  private readonly rules: { matches: Matches; act: (wire: Wire) => void; once: boolean }[] = [];
  private listener: net.Server | undefined;
  private prepare: (wire: Wire) => void = () => {};
  port = 0;

  constructor(private targetPort: number) {}

  /** As an address does after a failover: new connections go there, those that are open stay where they are. */
  moveTo(targetPort: number): void {
    this.targetPort = targetPort;
  }

  /** `address` of the database, by way of this proxy. */
  through(address: string): string {
    const url = new URL(address);
    url.port = String(this.port);
    return url.href;
  }

  /** Listens, after `refuse` on the same port. */
  async accept(): Promise<void> {
    if (this.listener) return;
    const listener = net.createServer({ allowHalfOpen: true }, (client) => this.serve(client));
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      listener.listen(this.port, '127.0.0.1', resolve);
    });
    this.listener = listener;
    this.port = (listener.address() as net.AddressInfo).port;
  }

  /** New connections are refused; open ones stay. */
  refuse(): void {
    this.listener?.close();
    this.listener = undefined;
  }

  /** For every connection, those to come included, until `heal`. */
  everywhere(fault: (wire: Wire) => void): void {
    const before = this.prepare;
    this.prepare = (wire) => {
      before(wire);
      fault(wire);
    };
    for (const wire of this.wires) fault(wire);
  }

  delay = (milliseconds: number) => this.everywhere((wire) => wire.delay(milliseconds));
  stall = () => this.everywhere((wire) => wire.stall());
  cutAfter = (bytes: number, direction: Direction) =>
    this.everywhere((wire) => wire.cutAfter(bytes, direction));

  /** The connections open now; new ones work. */
  cut = () => this.each((wire) => wire.cut());
  reset = () => this.each((wire) => wire.reset());

  /** Ends every fault that can end: nothing is delayed, stalled, refused, or waited for any more. */
  async heal(): Promise<void> {
    this.prepare = () => {};
    this.rules.length = 0;
    this.each((wire) => {
      wire.delay(0);
      wire.cutAfter(Infinity, 'toServer');
      wire.cutAfter(Infinity, 'toClient');
      wire.resume();
    });
    await this.accept();
  }

  /** Acts on the connection whose next message matches, before the message goes on. Resolves when it has. */
  when(matches: Matches, act: (wire: Wire) => void): Promise<Wire> {
    const { promise, resolve } = Promise.withResolvers<Wire>();
    const actAndTell = (wire: Wire) => {
      act(wire);
      resolve(wire);
    };
    this.rules.push({ matches, act: actAndTell, once: true });
    return promise;
  }

  /** The same for every message that matches, until `heal`. */
  whenever(matches: Matches, act: (wire: Wire) => void): void {
    this.rules.push({ matches, act, once: false });
  }

  /**
   * Lets the next statement that matches through and nothing of the answer back.
   * Resolves when the server has answered; then the connection stays silent, or ends.
   */
  swallow(matches: Matches, ending?: Ending): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    void this.when(matches, (wire) =>
      wire.swallow(() => {
        if (ending) wire[ending]();
        resolve();
      }),
    );
    return promise;
  }

  async stop(): Promise<void> {
    this.refuse();
    this.each((wire) => wire.reset());
  }

  private each(act: (wire: Wire) => void): void {
    for (const wire of [...this.wires]) act(wire);
  }

  private serve(client: net.Socket): void {
    const server = net.connect({ port: this.targetPort, host: '127.0.0.1', allowHalfOpen: true });
    const wire: Wire = new Wire(
      client,
      server,
      (message) => this.look(message, wire),
      () => this.wires.delete(wire),
    );
    this.wires.add(wire);
    this.prepare(wire);
  }

  private look(message: Message, wire: Wire): void {
    const rule = this.rules.find(({ matches }) => matches(message));
    if (!rule) return;
    if (rule.once) this.rules.splice(this.rules.indexOf(rule), 1);
    rule.act(wire);
  }
}

export async function startProxy(targetPort: number): Promise<TcpProxy> {
  const proxy = new TcpProxy(targetPort);
  await proxy.accept();
  return proxy;
}
