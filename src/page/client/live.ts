import { CHALLENGES, PROGRESS } from './documents.js';
import { endpoint } from './place.js';

/** In milliseconds: between two attempts to connect, the longest. */
const LONGEST_PAUSE = 15_000;

/** In milliseconds: between two questions whether the connection is alive, and how long an answer may take. */
const PROBE_INTERVAL = 20_000;
const PROBE_PATIENCE = 8_000;
const HURRIED_PATIENCE = 2_000;

/** In milliseconds: a connection that lived so long was a good one. One that is refused at once is not. */
const GOOD = 10_000;

export interface Following {
  token: string;
  /** Days, for the calendar in each event. */
  variables: () => object;
  /** What came before this moment was not sent: ask for it. */
  connected: () => void;
  changed: (data: object) => void;
  /** The token is worth nothing any more. */
  refused: () => void;
}

/** Follows the user's changes by `graphql-transport-ws`, and connects again, until it is told to stop. */
export class Live {
  private connection: Connection | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private connectedAt = Number.POSITIVE_INFINITY;
  private pause = 500;
  private isOver = false;

  constructor(private readonly following: Following) {
    this.connect();
  }

  stop(): void {
    this.isOver = true;
    clearTimeout(this.timer);
    this.connection?.end();
  }

  /** The network has come back, or the window: what looks open may be dead. */
  hurry(): void {
    if (this.connection) this.connection.probe(HURRIED_PATIENCE);
    else this.connect();
  }

  private connect(): void {
    clearTimeout(this.timer);
    this.connection = new Connection(
      {
        ...this.following,
        connected: () => {
          this.connectedAt = performance.now();
          this.following.connected();
        },
      },
      (isRefused) => this.ended(isRefused),
    );
  }

  private ended(isRefused: boolean): void {
    this.connection = undefined;
    if (this.isOver) return;
    if (isRefused) {
      this.following.refused();
      return;
    }
    if (performance.now() - this.connectedAt > GOOD) this.pause = 500;
    this.connectedAt = Number.POSITIVE_INFINITY;
    this.timer = setTimeout(() => this.connect(), this.pause * (0.5 + Math.random() / 2));
    this.pause = Math.min(LONGEST_PAUSE, this.pause * 2);
  }
}

const UNAUTHORIZED = [4401, 4403];

const TOKEN = ['TOKEN_INVALID', 'TOKEN_MISSING'];

/** From the first message to the end. */
class Connection {
  private readonly socket: WebSocket;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isEnded = false;

  constructor(
    private readonly following: Following,
    private readonly ended: (isRefused: boolean) => void,
  ) {
    const address = new URL(endpoint, location.href);
    address.protocol = address.protocol.replace('http', 'ws');
    this.socket = new WebSocket(address, 'graphql-transport-ws');
    this.socket.onopen = () =>
      this.send({ type: 'connection_init', payload: { authorization: `Bearer ${following.token}` } });
    this.socket.onmessage = ({ data }) => this.receive(JSON.parse(data));
    this.socket.onclose = ({ code }) => this.end(UNAUTHORIZED.includes(code));
    this.timer = setTimeout(() => this.end(), PROBE_PATIENCE);
  }

  /** Does not wait for the other side, which may have gone without a word. */
  end(isRefused = false): void {
    if (this.isEnded) return;
    this.isEnded = true;
    clearTimeout(this.timer);
    this.socket.close();
    this.ended(isRefused);
  }

  /** Browsers answer the service's pings out of sight, so the page asks too. */
  probe(patience = PROBE_PATIENCE): void {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    this.send({ type: 'ping' });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(), patience);
  }

  private send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  private receive({ type, payload }: { type: string; payload?: unknown }): void {
    if (this.isEnded) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.probe(), PROBE_INTERVAL);
    if (type === 'ping') this.send({ type: 'pong' });
    if (type === 'next') this.following.changed((payload as { data: object }).data ?? {});
    if (type === 'error') this.end(isOfToken(payload));
    if (type === 'connection_ack') this.subscribe();
  }

  private subscribe(): void {
    const progress = { query: PROGRESS, variables: this.following.variables() };
    this.send({ type: 'subscribe', id: 'progress', payload: progress });
    this.send({ type: 'subscribe', id: 'challenges', payload: { query: CHALLENGES } });
    this.following.connected();
  }
}

const isOfToken = (errors: unknown): boolean =>
  Array.isArray(errors) && errors.some(({ extensions }) => TOKEN.includes(extensions?.reason));
