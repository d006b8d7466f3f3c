import { PROGRESS, type Somewhere, socketOf } from '../support/live.js';

/** The code with which a WebSocket of somebody's is closed, once it is open. */
export async function closingOf(somewhere: Somewhere): Promise<{ code?: number }> {
  const seen: { code?: number } = {};
  const client = socketOf(somewhere);
  const opened = new Promise((resolve) => client.on('connected', resolve));
  client.on('closed', (event) => Object.assign(seen, { code: (event as { code: number }).code }));
  client.subscribe({ query: PROGRESS }, { next: () => {}, error: () => {}, complete: () => {} });
  await opened;
  return seen;
}
