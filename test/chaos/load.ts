import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from './random.js';
import type { Citizen, Service, Town } from './town.js';

/** What a client has learned: done under an id, done, not done, one of the two, or something nobody may be told. */
export type Outcome =
  | { is: 'done'; id: number }
  | { is: 'applied' }
  | { is: 'notApplied' }
  | { is: 'unknown'; why: string }
  | { is: 'wrong'; why: string };

export interface Attempt {
  /** By the real clock, as the database's. */
  at: number;
  until: number;
  over: string;
  outcome: Outcome;
}

/** A completion that a client wants to happen once, and what it heard about that. */
export interface Wish {
  citizen: Citizen;
  taskId: number;
  /** Under which it is asked for again, and found. Without one it is the only one of its task. */
  key: string | null;
  attempts: Attempt[];
}

/** In milliseconds. The service promises an answer within 5 s; a busy machine gets thrice that. */
const ANSWER_LIMIT = 15_000;
/** For everything that has a key, after the last fault. */
const AFTERMATH = 60_000;
const WORKERS = 10;

const COMPLETE = `mutation ($id: ID!, $key: String) {
  completeTask(taskId: $id, idempotencyKey: $key) { completion { id } task { completionCount } }
}`;
const COMPLETE_AND_LOOK = `mutation ($id: ID!, $key: String) {
  completeTask(taskId: $id, idempotencyKey: $key) { completion { id } user { points currentStreak } }
}`;

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Json = any;

const REST_OUTCOMES: Record<string, Outcome> = {
  'Service unavailable, nothing was changed': { is: 'notApplied' },
  'The outcome is unknown': { is: 'unknown', why: 'told so' },
};
const GRAPHQL_OUTCOMES: Record<string, Outcome> = {
  NOT_APPLIED: { is: 'notApplied' },
  UNKNOWN: { is: 'unknown', why: 'told so' },
  APPLIED: { is: 'applied' },
};

const ofRest = (status: number, body: Json): Outcome => {
  if (status === 200 || status === 201) return { is: 'done', id: body.id };
  const told = status === 503 ? REST_OUTCOMES[body.error] : undefined;
  return told ?? { is: 'wrong', why: `${status} ${JSON.stringify(body)}` };
};

const ofGraphql = (status: number, { data, errors }: Json): Outcome => {
  const id = Number(Object.values<Json>(data ?? {})[0]?.completion.id);
  if (id) return { is: 'done', id };
  const told = GRAPHQL_OUTCOMES[errors?.[0]?.extensions?.outcome];
  return told ?? { is: 'wrong', why: `${status} ${JSON.stringify({ data, errors })}` };
};

/** Over REST, unless there is a query. */
async function sent(
  { base }: Service,
  { citizen, taskId, key }: Pick<Wish, 'citizen' | 'taskId' | 'key'>,
  query?: string,
): Promise<Outcome> {
  const isRest = query === undefined;
  try {
    const response = await fetch(base + (isRest ? '/api/task-completions' : '/graphql'), {
      method: 'POST',
      body: JSON.stringify(isRest ? { task_id: taskId } : { query, variables: { id: taskId, key } }),
      headers: {
        ...{ authorization: `Bearer ${citizen.token}`, 'content-type': 'application/json' },
        ...(isRest && key !== null && { 'Idempotency-Key': key }),
      },
      signal: AbortSignal.timeout(ANSWER_LIMIT),
    });
    return (isRest ? ofRest : ofGraphql)(response.status, await response.json());
  } catch (error) {
    const { name, cause } = error as { name: string; cause?: { code?: string; message?: string } };
    if (name === 'TimeoutError') return { is: 'wrong', why: `no answer within ${ANSWER_LIMIT} ms` };
    // Refused before anything was sent.
    if (cause?.code === 'ECONNREFUSED') return { is: 'notApplied' };
    return { is: 'unknown', why: `lost: ${cause?.code ?? cause?.message ?? error}` };
  }
}

/** Clients of both APIs of both processes, until told to stop. */
export class Load {
  readonly wishes: Wish[] = [];
  private readonly favourites = new Map<Citizen, number>();
  private isOver = false;
  private giveUpAt = Number.POSITIVE_INFINITY;
  private readonly running: Promise<void>[];

  constructor(
    private readonly town: Town,
    private readonly random: Random,
  ) {
    this.running = Array.from({ length: WORKERS }, () => this.work());
  }

  /** What has a key is asked for until it is done. */
  async stop(): Promise<void> {
    this.isOver = true;
    this.giveUpAt = Date.now() + AFTERMATH;
    await Promise.all(this.running);
  }

  private freshTask({ fresh }: Citizen): number {
    const task = fresh.pop();
    if (task === undefined) throw new Error('There are not enough tasks');
    return task;
  }

  /** Completed again and again: there the key tells one completion from another. */
  private favourite(citizen: Citizen): number {
    const task = this.favourites.get(citizen) ?? this.freshTask(citizen);
    this.favourites.set(citizen, task);
    return task;
  }

  private wish(citizen: Citizen, isKeyed: boolean): Wish {
    const key = isKeyed ? `key-${this.wishes.length}` : null;
    const taskId = isKeyed ? this.favourite(citizen) : this.freshTask(citizen);
    const wish = { citizen, taskId, key, attempts: [] };
    this.wishes.push(wish);
    return wish;
  }

  private async tryOnce(wish: Wish): Promise<Outcome['is']> {
    const service = this.random.pick(this.town.services);
    const query = this.random.chance(0.5) ? this.random.pick([COMPLETE, COMPLETE_AND_LOOK]) : undefined;
    const at = Date.now();
    const outcome = await sent(service, wish, query);
    const over = `${service.name} ${query ? 'GraphQL' : 'REST'}`;
    wish.attempts.push({ at, until: Date.now(), over, outcome });
    return outcome.is;
  }

  private async tryUntilKnown(wish: Wish): Promise<void> {
    let is = await this.tryOnce(wish);
    while (is !== 'done' && is !== 'wrong' && Date.now() < this.giveUpAt) {
      await pause(50);
      is = await this.tryOnce(wish);
    }
  }

  private async work(): Promise<void> {
    const { random } = this;
    while (!this.isOver) {
      const isKeyed = random.chance(0.5);
      const wish = this.wish(random.pick(this.town.citizens), isKeyed);
      if (isKeyed && random.chance(0.8)) await this.tryUntilKnown(wish);
      else if ((await this.tryOnce(wish)) !== 'done') await pause(50);
      await pause(5);
    }
  }
}
