import { createHmac } from 'node:crypto';
import type { FeedEvent } from '../event-feed/feed.entity.js';

/** What is sent, and signed: the form and the signature are those of standardwebhooks.com. */
export interface Message {
  /** It stays for all tries. */
  id: string;
  body: string;
}

export const SECRET_PREFIX = 'whsec_';

/** `COMPLETION_RECORDED` is `completion.recorded`. */
const typeOf = (kind: string) => kind.toLowerCase().replace('_', '.');

/** Ids are text, and what does not apply is left out. */
export function messageOf(event: FeedEvent): Message {
  const { id, userId, number, kind, at, taskId, completionId, challengeId, pauseId, day } = event;
  const ids = { task_id: taskId, completion_id: completionId, challenge_id: challengeId, pause_id: pauseId };
  const named = Object.entries(ids).flatMap(([name, value]) =>
    value === null ? [] : [[name, String(value)]],
  );
  const data = { number, user_id: userId, ...Object.fromEntries(named), ...(day !== null && { day }) };
  return { id, body: JSON.stringify({ type: typeOf(kind), timestamp: at.toISOString(), data }) };
}

export const testMessage = (id: string, userId: string, now: Date): Message => ({
  id,
  body: JSON.stringify({ type: 'webhook.test', timestamp: now.toISOString(), data: { user_id: userId } }),
});

/** `secret` is in base64, without its prefix. */
export function headersOf({ id, body }: Message, secret: string, now: Date): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const signature = createHmac('sha256', Buffer.from(secret, 'base64'))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64');
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Steady',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
