import { Account } from './account.js';
import { serviceClock } from './clock.js';
import { Connection, refusalIn, type TypedDocument } from './connection.js';
import { COMPLETIONS, EVENTS, LAST_EVENT, LOG_IN, SIGN_OUT, SIGN_UP, TASKS, WATCH } from './documents.js';
import { SteadyError } from './errors.js';
import { subscribe } from './event-stream.js';
import { follow } from './live.js';
import { type Done, Queue, type Tap } from './queue.js';
import { type ClientStorage, memoryStorage } from './storage.js';
import { Entries } from './taps.js';
import { askScreen, type Screen, type Task, type Today, todayOf } from './today.js';

export interface ClientOptions {
  /** Where the service is, such as `https://habits.example.com`. */
  url: string;
  /** Of a session, or an API token. */
  token?: string | null;
  /** Where taps wait; without it, in memory. */
  storage?: ClientStorage;
  fetch?: typeof fetch;
  /** A clock that is right. Without it the device's counts, corrected by what the service says. */
  now?: () => number | Date;
}

export interface Session {
  token: string;
  expiresAt: string;
  user: { id: string; name: string };
}

export interface Completion {
  id: string;
  completedAt: string;
  day: string;
  amount: number | null;
  note: string | null;
  points: number;
  task: { id: string; title: string };
}

/** Something that has changed. Ids are there even when what they name is gone. */
export interface SteadyEvent {
  /** A cursor, too. */
  id: string;
  /** 1, 2, 3 and so on, without a gap. */
  number: number;
  /** Such as `COMPLETION_RECORDED`. */
  kind: string;
  at: string;
  taskId: string | null;
  completionId: string | null;
  challengeId: string | null;
  pauseId: string | null;
  day: string | null;
}

export interface TaskFilter {
  section?: string;
  tag?: string;
  today?: 'KEPT' | 'OPEN' | 'PLANNED' | 'UNPLANNED';
  archived?: 'ANY' | 'ARCHIVED' | 'IN_USE';
}

export interface CompletionFilter {
  taskId?: string;
  /** Days. */
  from?: string;
  to?: string;
}

export interface WatchOptions {
  /** The cursor or the number of the last event that is known; without it, what comes from now on. */
  after?: string | number | null;
  /** It is over: such as `FEED_OFF`, or `FEED_TRUNCATED`, after which a copy begins again. Without it, the error is thrown. */
  failed?: (error: SteadyError) => void;
  /** It is in force, again after each loss. */
  connected?: () => void;
}

interface PageOf<Node> {
  nodes: Node[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** Variables may be left out where all of them may. */
type Given<Variables> =
  Record<string, never> extends Variables ? [variables?: Variables] : [variables: Variables];

export class SteadyClient {
  /** Taps that wait. */
  readonly queue: Queue;
  private readonly connection: Connection;
  private readonly account: Account;
  private readonly screens: Entries<Screen>;

  constructor({ url, token = null, storage = memoryStorage(), fetch: given, now }: ClientOptions) {
    const device = now ? () => Number(now()) : Date.now;
    const send: typeof fetch = given ?? ((...asked) => fetch(...asked));
    this.connection = new Connection(url, token, send, serviceClock(device), !now);
    this.account = new Account(this.connection, storage);
    this.screens = new Entries(storage, 'today:');
    this.queue = new Queue(this.connection, storage, this.account, device);
  }

  get token(): string | null {
    return this.connection.token;
  }

  /** Null: nobody is logged in any more, and what waits goes on waiting. */
  set token(token: string | null) {
    this.connection.token = token;
  }

  logIn(input: { email: string; password: string }): Promise<Session> {
    return this.begin(LOG_IN, 'logIn', input);
  }

  signUp(input: { name: string; email: string; password: string }): Promise<Session> {
    return this.begin(SIGN_UP, 'signUp', input);
  }

  private async begin(document: string, name: string, input: object): Promise<Session> {
    const answer = await this.connection.ask<Record<string, Session>>(document, { input });
    const session = answer[name] as Session;
    await this.account.learn(session.token, session.user.id);
    this.connection.token = session.token;
    void this.queue.flush().catch(() => {});
    return session;
  }

  /** The session ends; what was known of the day is forgotten, and what waits goes on waiting. */
  async signOut(): Promise<void> {
    await this.connection.ask(SIGN_OUT);
    for (const name of await this.screens.names()) await this.screens.delete(name);
    this.connection.token = null;
  }

  /** Rejects with a `SteadyError` unless everything was answered. */
  // biome-ignore lint/suspicious/noExplicitAny: a document that is a text says nothing of its answer
  request<Result = any, Variables extends object = any>(
    document: TypedDocument<Result, Variables>,
    ...[variables]: Given<Variables>
  ): Promise<Result> {
    return this.connection.ask(document as TypedDocument<Result, never>, variables);
  }

  /** How the day stands. Without a network, as it was last known, as long as that is of today. */
  async today(): Promise<Today> {
    await this.queue.flush();
    try {
      const screen = await this.queue.alone(() => askScreen(this.connection, this.queue));
      await this.screens.set(await this.account.known(), screen);
      return await this.withWaiting(screen);
    } catch (error) {
      if (!(error instanceof SteadyError) || !error.isPassing) throw error;
      const known = await this.lastKnown();
      if (!known || this.connection.clock.now() >= Date.parse(known.endsAt)) throw error;
      return { ...known, staleReason: error.reason };
    }
  }

  /** The day that was known last, whichever that was, with what waits; null where none was. Asks nobody. */
  async lastKnown(): Promise<Today | null> {
    const screen = await this.screens.get(await this.account.known());
    return screen && { ...(await this.withWaiting(screen)), isStale: true };
  }

  private async withWaiting(screen: Screen): Promise<Today> {
    const { clock } = this.connection;
    return todayOf(screen, await this.queue.waiting(), ({ at, madeAt }) =>
      at === null ? clock.momentOf(madeAt) : Date.parse(at),
    );
  }

  /** Kept first, then sent. Rejects only with what the service refuses; that is in `queue.refused`, too. */
  complete(taskId: string | number, done: Done = {}): Promise<Tap> {
    return this.queue.add(String(taskId), done);
  }

  /** What has never left is gone at once, all else once there is a network. */
  undo(tap: Tap): Promise<'undone' | 'waiting'> {
    return this.queue.takeBack(tap);
  }

  tasks(filter: TaskFilter = {}): AsyncGenerator<Task, void> {
    return this.pages<Task>(TASKS, 'tasks', filter);
  }

  /** Latest first. */
  completions(filter: CompletionFilter = {}): AsyncGenerator<Completion, void> {
    return this.pages<Completion>(COMPLETIONS, 'completions', filter);
  }

  /** Oldest first; ends with what is there. */
  events({ after = null }: { after?: string | number | null } = {}): AsyncGenerator<SteadyEvent, void> {
    return this.pages<SteadyEvent>(EVENTS, 'events', {}, after === null ? null : String(after));
  }

  private async *pages<Node>(
    document: string,
    name: string,
    filter: object,
    first: string | null = null,
  ): AsyncGenerator<Node, void> {
    for (let after = first; ; ) {
      const answer = await this.connection.ask<Record<string, PageOf<Node>>>(document, { ...filter, after });
      const { nodes, pageInfo } = answer[name] as PageOf<Node>;
      yield* nodes;
      if (!pageInfo.hasNextPage) return;
      after = pageInfo.endCursor;
    }
  }

  /** Calls back for every event, in their order, none left out and none twice. Returns what ends it. */
  watch(
    listener: (event: SteadyEvent) => void,
    { after = null, failed, connected }: WatchOptions = {},
  ): () => void {
    let cursor = after === null ? null : String(after);
    const fail = (error: SteadyError) => {
      if (!failed) throw error;
      failed(error);
    };
    const live = follow((opened, ended) => {
      let stream: ReturnType<typeof subscribe> | undefined;
      let isOver = false;
      const over = (error?: SteadyError) => {
        const isForGood = error !== undefined && !error.isPassing;
        ended(isForGood);
        if (isForGood && !isOver) queueMicrotask(() => fail(error));
      };
      const begin = async () => {
        cursor ??= await this.lastEvent();
        if (isOver) return;
        stream = subscribe(this.connection, WATCH, {
          variables: { after: cursor },
          opened: () => {
            opened();
            connected?.();
          },
          next: (data) => {
            const { events: event } = data as { events: SteadyEvent };
            cursor = event.id;
            listener(event);
          },
          ended: over,
        });
      };
      begin().catch(over);
      return {
        end: () => {
          isOver = true;
          stream?.end();
        },
        probe: (patience) => stream?.probe(patience),
      };
    });
    const hurry = () => live.hurry();
    globalThis.addEventListener?.('online', hurry);
    return () => {
      globalThis.removeEventListener?.('online', hurry);
      live.stop();
    };
  }

  private async lastEvent(): Promise<string> {
    const { me } = await this.connection.ask<{ me: { lastEventNumber: number | null } }>(LAST_EVENT);
    if (me.lastEventNumber === null) throw new SteadyError('The feed is off', { reason: 'FEED_OFF' });
    return String(me.lastEventNumber);
  }

  /** Everything of the account, as docs/export.schema.json describes it. */
  async export(): Promise<Response> {
    const response = await this.connection.request('/account/export', { patience: null });
    if (!response.ok) throw await refusalIn(response);
    return response;
  }

  /** Ends listeners, and sends nothing any more; what waits goes on waiting in the storage. */
  close(): void {
    this.queue.close();
  }
}

export const createClient = (options: ClientOptions): SteadyClient => new SteadyClient(options);
