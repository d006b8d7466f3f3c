export {
  type ClientOptions,
  type Completion,
  type CompletionFilter,
  createClient,
  type Session,
  type SteadyClient,
  type SteadyEvent,
  type TaskFilter,
  type WatchOptions,
} from './client.js';
export type { TypedDocument } from './connection.js';
export { type FaultyField, type Outcome, SteadyError } from './errors.js';
export { newKey } from './key.js';
export type { Done, Queue, Refused, Tap } from './queue.js';
export { type Patience, untilAnswered } from './retry.js';
export { type ClientStorage, memoryStorage } from './storage.js';
export type { Habit, Task, Today } from './today.js';
export { type SignedWebhook, verifyWebhook, type WebhookEvent } from './webhook.js';
