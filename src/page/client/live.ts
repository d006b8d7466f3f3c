import { TOKEN } from './api.js';
import { CHALLENGES, PROGRESS } from './documents.js';
import { home } from './paths.js';

/** In milliseconds: between two attempts to connect, at first and at most. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 15_000;

/** In milliseconds: between two questions whether the connection is alive, and how long an answer may take. */
const PROBE_INTERVAL = 20_000;
const PROBE_PATIENCE = 8_000;
const HURRIED_PATIENCE = 2_000;

/** In milliseconds: a connection that lived so long was a good one. One that is refused at once is not. */
const GOOD = 10_000;

interface Following {
  token: string;
  /** What came before this moment was not sent: ask for it. */
  connected: () => void;
  changed: (data: object) => void;
  /** The token is worth nothing any more. */
  refused: () => void;
}

export interface Live {
  stop: () => void;
  /** The network has come back, or the window: what looks open may be dead. */
  hurry: () => void;
}

/** Follows the user's changes, and connects again, until it is told to stop. */
export function follow(following: Following): Live {
  let connection: Connection | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pause = FIRST_PAUSE;
  let isOver = false;

  const connect = () => {
    clearTimeout(timer);
    let connectedAt = Number.POSITIVE_INFINITY;
    const connected = () => {
      connectedAt = performance.now();
      following.connected();
    };
    connection = connectTo({ ...following, connected }, (isRefused) => {
      connection = undefined;
      if (isOver) return;
      if (isRefused) return following.refused();
      if (performance.now() - connectedAt > GOOD) pause = FIRST_PAUSE;
      timer = setTimeout(connect, pause * (0.5 + Math.random() / 2));
      pause = Math.min(LONGEST_PAUSE, pause * 2);
    });
  };
  connect();
  return {
    stop: () => {
      isOver = true;
      clearTimeout(timer);
      connection?.end();
    },
    hurry: () => (connection ? connection.probe(HURRIED_PATIENCE) : connect()),
  };
}

interface Connection {
  /** Does not wait for the other side, which may have gone without a word. */
  end: () => void;
  /** Browsers answer the service's pings out of sight, so the page asks too. */
  probe: (patience: number) => void;
}

const UNAUTHORIZED = [4401, 4403];

type Problems = { extensions?: { reason: string } }[];

interface Message {
  type: string;
  payload?: unknown;
}

/** By `graphql-transport-ws`, from the first message to the end. */
function connectTo(following: Following, ended: (isRefused: boolean) => void): Connection {
  const socket = new WebSocket(
    new URL(`${home}graphql`, location.href.replace('http', 'ws')),
    'graphql-transport-ws',
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isEnded = false;

  const end = (isRefused = false) => {
    if (isEnded) return;
    isEnded = true;
    clearTimeout(timer);
    socket.close();
    ended(isRefused);
  };
  const wait = (patience: number, then: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(then, patience);
  };
  const send = (message: object) => socket.send(JSON.stringify(message));
  const probe = (patience: number) => {
    if (socket.readyState !== WebSocket.OPEN) return;
    send({ type: 'ping' });
    wait(patience, end);
  };
  const subscribe = (id: string, query: string) => send({ type: 'subscribe', id, payload: { query } });

  socket.onopen = () =>
    send({ type: 'connection_init', payload: { authorization: `Bearer ${following.token}` } });
  socket.onclose = ({ code }) => end(UNAUTHORIZED.includes(code));
  socket.onmessage = ({ data }) => {
    if (isEnded) return;
    const { type, payload }: Message = JSON.parse(data);
    wait(PROBE_INTERVAL, () => probe(PROBE_PATIENCE));
    if (type === 'ping') send({ type: 'pong' });
    if (type === 'next') following.changed((payload as { data: object }).data ?? {});
    if (type === 'error') end(TOKEN.includes((payload as Problems)[0]?.extensions?.reason ?? ''));
    if (type === 'connection_ack') {
      subscribe('progress', PROGRESS);
      subscribe('challenges', CHALLENGES);
      send({ type: 'ping', payload: { inForce: true } });
    }
    if (type === 'pong' && payload) following.connected();
  };
  wait(PROBE_PATIENCE, end);
  return { end, probe };
}
