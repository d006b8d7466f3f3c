import type { Context as Connection } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { OpenOperations } from './open-operations.js';
import type { OperationTrails } from './operation-trails.js';

/** Why a connection is closed. */
export const GOING_AWAY = 1001;
export const SERVICE_RESTART = 1012;
export const TRY_AGAIN_LATER = 1013;
export const TOO_MANY = 4429;

export interface Extra {
  socket: WebSocket;
}

export type ClientConnection = Connection<Record<string, unknown>, Extra>;

/** The client of a connection, and the cleanup for when it is gone. */
export interface Client {
  /** Identifies the connection. */
  name: string;
  socket: WebSocket;
  address: string;
  running: OpenOperations;
  trails: OperationTrails;
  /** Null without a valid token. */
  userId: string | null;
  /** Whether it sent a token, valid or not. */
  hasToken: boolean;
  leave: () => void;
}
