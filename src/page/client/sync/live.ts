import { isTokenReason } from '../../../../packages/client/src/errors.js';
import { follow, type Live, type LiveConnection } from '../../../../packages/client/src/live.js';
import { home } from '../shell/paths.js';
import { CHALLENGES, PROGRESS } from './documents.js';

/** In milliseconds: between two questions whether the connection is alive, and how long an answer may take. */
const PROBE_INTERVAL = 20_000;
const PROBE_PATIENCE = 8_000;

interface Following {
  token: string;
  /** What came before this moment was not sent: ask for it. */
  connected: () => void;
  changed: (data: object) => void;
  /** The token is worth nothing any more. */
  refused: () => void;
}

/** Follows the user's changes, and connects again, until it is told to stop. */
export const followChanges = (following: Following): Live =>
  follow((opened, ended) => connectTo(following, opened, ended));

const UNAUTHORIZED = 4401;

type Problems = { extensions?: { reason: string } }[];

interface Message {
  type: string;
  payload?: unknown;
}

/** By `graphql-transport-ws`, from the first message to the end. */
function connectTo(
  { token, connected, changed, refused }: Following,
  opened: () => void,
  ended: (isRefused: boolean) => void,
): LiveConnection {
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
    if (isRefused) refused();
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

  socket.onopen = () => send({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } });
  socket.onclose = ({ code }) => end(code === UNAUTHORIZED);
  socket.onmessage = ({ data }) => {
    if (isEnded) return;
    const { type, payload }: Message = JSON.parse(data);
    wait(PROBE_INTERVAL, () => probe(PROBE_PATIENCE));
    if (type === 'ping') send({ type: 'pong' });
    if (type === 'next') changed((payload as { data: object }).data ?? {});
    if (type === 'error') end(isTokenReason((payload as Problems)[0]?.extensions?.reason ?? ''));
    if (type === 'connection_ack') {
      subscribe('progress', PROGRESS);
      subscribe('challenges', CHALLENGES);
      send({ type: 'ping', payload: { inForce: true } });
    }
    if (type === 'pong' && payload) {
      opened();
      connected();
    }
  };
  wait(PROBE_PATIENCE, end);
  return { end, probe };
}
