import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createClient, type SteadyClient } from '../../packages/client/src/client.js';
import { serviceClock } from '../../packages/client/src/clock.js';
import { Connection } from '../../packages/client/src/connection.js';
import { SEND, UNDO } from '../../packages/client/src/documents.js';
import { SteadyError } from '../../packages/client/src/errors.js';
import { fileStorage } from '../../packages/client/src/file.js';
import type { Tap } from '../../packages/client/src/queue.js';
import { inputOf, type Refusal, type Result, senderOf } from '../../packages/client/src/sender.js';
import { type ClientStorage, memoryStorage } from '../../packages/client/src/storage.js';
import { keptTaps } from '../../src/page/client/sync/kept-taps.js';
import type { Tap as WindowTap } from '../../src/page/client/sync/types.js';
import { type Fault, type FaultyWay, faultyWayTo } from '../support/faulty-way.js';
import { temporaryFolder } from '../support/process.js';
import { type TestUser, world } from '../support/world.js';

type Step = <Answer>(work: () => Answer | Promise<Answer>) => Promise<Answer>;

const never = () => new Promise<never>(() => {});

const pause = (milliseconds = 0) =>
  new Promise((resolve) => (milliseconds > 1 ? setTimeout(resolve, milliseconds) : setImmediate(resolve)));

/** Steps that take turns with those of others, and any of them may be the last. */
function steps(slowness = 0) {
  let left = Number.POSITIVE_INFINITY;
  const step: Step = async (work) => {
    await pause(Math.random() * slowness);
    left -= 1;
    if (left < 0) return never();
    const answer = await work();
    return left < 0 ? never() : answer;
  };
  const killAfter = (count: number) => {
    left = Math.min(left, count);
  };
  return { step, killAfter, kill: () => killAfter(-1), isKilled: () => left < 0 };
}

/** Of the storage and of the network: whoever is killed hears of neither any more. */
interface Killable extends Omit<ReturnType<typeof steps>, 'step'> {
  complete: (taskId: string, key: string) => Promise<unknown>;
  /** Answers whether it is undone, or surely will be. */
  undo: (taskId: string, key: string) => Promise<boolean>;
  /** Answers how much waits. */
  flush: () => Promise<number>;
}

type Options = Omit<Parameters<typeof createClient>[0], 'storage' | 'now'> & { now: () => Date };

const stepping = (step: Step, shared: ClientStorage): ClientStorage => ({
  get: (key) => step(() => shared.get(key)),
  set: (key, value) => step(() => shared.set(key, value)),
  delete: (key) => step(() => shared.delete(key)),
  keys: (prefix) => step(() => shared.keys(prefix)),
});

const clientOn = (step: Step, shared: ClientStorage, options: Options): SteadyClient =>
  createClient({
    ...options,
    storage: stepping(step, shared),
    fetch: (...asked) => step(() => fetch(...asked)),
  });

/** Where taps wait, and who sends them from there. */
interface Place {
  open: () => Killable;
  /** Later than any request of somebody who was killed can be under way. */
  laterOn: () => Promise<void>;
  /** What is left when all was sent. */
  left: () => Promise<unknown[]>;
}

/** As the package has it: a storage without transactions. */
function storagePlace(options: Options, _way: FaultyWay, shared = memoryStorage()): Place {
  const made = new Map<string, Tap>();
  const open = (): Killable => {
    const { step, kill, ...killing } = steps();
    const client = clientOn(step, shared, options);
    return {
      ...killing,
      complete: async (taskId, key) => made.set(key, await client.complete(taskId, { key, note: key })),
      undo: async (taskId, key) => {
        const at = options.now().toISOString();
        const tap = {
          key,
          taskId,
          state: 'waiting',
          completionId: null,
          amount: null,
          note: key,
          at,
        } as const;
        await client.undo(made.get(key) ?? tap);
        return true;
      },
      flush: () => client.queue.flush(),
      kill: () => {
        kill();
        client.close();
      },
    };
  };
  return {
    open,
    laterOn: async () => {
      for (const name of await shared.keys('sending:')) {
        const sending = JSON.parse((await shared.get(name)) ?? '');
        await shared.set(name, JSON.stringify({ ...sending, until: 0 }));
      }
    },
    left: async () => [...(await shared.keys(''))].filter((key) => !/^(owner|today):/.test(key)),
  };
}

/** As the page has it: transactions, and a lock that a browser takes from windows that are gone, with their requests. */
function windowsPlace(options: Options, way: FaultyWay): Place {
  const shared = new Map<string, WindowTap>();
  let latest: Promise<unknown> = Promise.resolve();
  const open = (): Killable => {
    const { step, kill, ...killing } = steps();
    const gone = async () => {
      while (!killing.isKilled()) await pause(5);
      await way.quiet();
    };
    const alone = (work: () => Promise<void>) => {
      const done = latest.then(() => (killing.isKilled() ? never() : work()));
      latest = Promise.race([done.catch(() => {}), gone()]);
      return done;
    };
    const taps = keptTaps((work) => step(() => work(shared)));
    const clock = serviceClock(() => Number(options.now()));
    const send: typeof fetch = (...asked) => step(() => fetch(...asked));
    const connection = new Connection(options.url, options.token ?? null, send, clock, false);
    const undoIt = (id: string, token: string | null) =>
      connection.ask(UNDO, { id }, token).catch((error) => {
        if (error.reason !== 'NOT_FOUND') throw error;
      });
    const sendAll = senderOf<WindowTap, Refusal>(
      {
        ...taps,
        alone,
        token: () => connection.token,
        async *pieces(most) {
          for (
            let piece = await taps.take('ana', most);
            piece.length > 0;
            piece = await taps.take('ana', most)
          )
            yield piece;
        },
        send: async (piece, token, settle) => {
          const input = piece.map((tap) => inputOf(tap, clock));
          const { completeTasks } = await connection.ask<{ completeTasks: { results: Result[] } }>(
            SEND,
            { input },
            token,
          );
          for (const [index, tap] of piece.entries())
            await settle(tap, completeTasks.results[index] as Result);
        },
        undo: async ({ key, completionId = '' }, token) => {
          await undoIt(completionId, token);
          await taps.change(key, () => null);
        },
        isRefusal: (error): error is SteadyError => error instanceof SteadyError && !error.isPassing,
        failed: (error) => error instanceof SteadyError && error.isPassing && !killing.isKilled(),
      },
      clock,
    );
    return {
      ...killing,
      kill,
      complete: async (taskId, key) => {
        const made = { key, userId: 'ana', taskId, title: 'Swim', amount: null, note: key };
        await step(() => shared.set(key, { ...made, at: Number(options.now()) }));
        await sendAll();
      },
      undo: async (_taskId, key) => {
        const isThere = await taps.takeBack(key);
        if (isThere) await sendAll();
        return isThere;
      },
      flush: async () => {
        await sendAll();
        return shared.size;
      },
    };
  };
  return { open, laterOn: async () => {}, left: async () => [...shared.values()] };
}

const KINDS = ['complete', 'undo', 'flush', 'kill', 'cut', 'mend'] as const;

const WEIGHTS = [10, 8, 4, 4, 1, 1];

const action = fc.record({
  kind: fc.oneof(
    ...KINDS.map((kind, index) => ({ weight: WEIGHTS[index] ?? 1, arbitrary: fc.constant(kind) })),
  ),
  ...{ client: fc.nat(1), tap: fc.nat(20), steps: fc.nat(40), isAwaited: fc.boolean() },
});

type Action = typeof action extends fc.Arbitrary<infer Each> ? Each : never;

const FAULTS: (Fault | undefined)[] = [
  ...[undefined, undefined, undefined],
  ...(['lost', 'unanswered', 'repeated', 'away', 'late'] as const),
];

/** What may be counted of a tap by the end. */
interface Expected {
  key: string;
  may: Set<number>;
}

class Life {
  private readonly clients: Killable[] = [];
  private readonly under: Promise<unknown>[] = [];
  private readonly expected: Expected[] = [];

  constructor(
    private readonly ana: TestUser,
    private readonly taskId: string,
    private readonly way: FaultyWay,
    private readonly place: Place,
  ) {}

  private clientAt(index: number): Killable {
    const found = this.clients[index];
    if (found && !found.isKilled()) return found;
    const made = this.place.open();
    this.clients[index] = made;
    return made;
  }

  async act(each: Action): Promise<void> {
    if (each.kind === 'cut') return this.way.cut();
    if (each.kind === 'mend') return this.way.mend();
    const client = this.clientAt(each.client);
    if (each.kind === 'kill') return client.killAfter(each.steps);
    if (each.kind === 'flush') return this.begin(client.flush(), client, false);
    if (each.kind === 'complete') return this.complete(client, each.isAwaited);
    return this.undo(client, each.tap, each.isAwaited);
  }

  private async complete(client: Killable, isAwaited: boolean): Promise<void> {
    const known: Expected = { key: `tap-${this.expected.length}`, may: new Set([0, 1]) };
    this.expected.push(known);
    const done = client.complete(this.taskId, known.key).then(() => known.may.delete(0)); // kept, and not undone
    await this.begin(done, client, isAwaited);
  }

  private async undo(client: Killable, index: number, isAwaited: boolean): Promise<void> {
    const known = this.expected[index % Math.max(1, this.expected.length)];
    if (!known || known.may.has(0)) return; // it may not have been kept, or was undone
    known.may.add(0);
    const undone = client.undo(this.taskId, known.key).then((isUndone) => isUndone && known.may.delete(1));
    await this.begin(undone, client, isAwaited);
  }

  /** Until it is done, or whoever does it is killed. */
  private async begin(work: Promise<unknown>, client: Killable, isAwaited: boolean): Promise<void> {
    const killed = async () => {
      while (!client.isKilled()) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    const over = Promise.race([work, killed()]);
    this.under.push(over);
    if (isAwaited) await over;
  }

  /** All are killed, and somebody comes later. */
  async end(): Promise<void> {
    for (const each of this.clients) each?.kill();
    await Promise.all(this.under);
    this.way.mend();
    await this.way.quiet();
    await this.place.laterOn();
    const heir = this.place.open();
    while ((await heir.flush()) > 0) await pause();
    await heir.flush();
    heir.kill();
    expect(await this.place.left()).toEqual([]);
  }

  async counted(): Promise<void> {
    const { completions } = await this.ana.query('{ completions(first: 100) { nodes { note } } }');
    const notes = completions.nodes.map(({ note }: { note: string }) => note);
    const wrong = this.expected.flatMap(({ key, may }) => {
      const times = notes.filter((note: string) => note === key).length;
      return may.has(times) ? [] : [{ key, times, may: [...may] }];
    });
    expect(wrong).toEqual([]);
  }
}

const filesPlace: typeof storagePlace = (options, way) =>
  storagePlace(options, way, fileStorage(temporaryFolder()));

describe.each([
  ['the storage of the package', storagePlace],
  ['the files of the package', filesPlace],
  ['the windows of the page', windowsPlace],
] as const)('What waits in %s', (_name, placeOf) => {
  it('counts each tap once, and none that was undone, whatever is lost, whoever is killed, in whatever order', async () => {
    const { base, clock, newUser } = await world();
    const way = await faultyWayTo(base);
    const life = fc.asyncProperty(
      fc.array(action, { minLength: 3, maxLength: 25 }),
      fc.infiniteStream(fc.constantFrom(...FAULTS)),
      async (actions, faults) => {
        const ana = await newUser();
        const taskId = String((await ana.hasTask()).id);
        const place = placeOf({ url: way.base, token: ana.token, now: () => clock.now() }, way);
        const lived = new Life(ana, taskId, way, place);
        way.usually = (body) => (/Send|Undo|Who/.test(body) ? faults.next().value : undefined);
        way.mend();
        for (const each of actions) await lived.act(each);
        way.usually = () => undefined;
        await lived.end();
        await lived.counted();
      },
    );
    await fc.assert(life, { numRuns: Number(process.env.CLIENT_LIVES ?? 30), endOnFailure: false });
  });
});

it('takes back what another client is sending, whichever of them is faster', async () => {
  const { base, clock, newUser } = await world();
  const way = await faultyWayTo(base);
  const ana = await newUser();
  const taskId = String((await ana.hasTask()).id);
  const options = { url: way.base, token: ana.token, now: () => clock.now() };
  const round = async () => {
    const shared = memoryStorage();
    const clients = [8, 8, 8].map((slowness) => clientOn(steps(slowness).step, shared, options));
    const [one, other, third] = clients as [SteadyClient, SteadyClient, SteadyClient];
    way.faults = (body) => (body.includes('Send') ? 'unanswered' : undefined);
    const tap = await one.complete(taskId);
    way.faults = () => 'late';
    await Promise.all([one.undo(tap), other.queue.flush(), other.undo(tap), third.queue.flush()]);
    while ((await one.queue.flush()) > 0) await pause(20);
    await Promise.all(clients.map(({ queue }) => queue.flush()));
    for (const client of clients) client.close();
    const { completions } = await ana.query('{ completions { totalCount } }');
    expect(completions.totalCount).toBe(0);
  };
  for (let left = Number(process.env.CLIENT_LIVES ?? 30); left > 0; left -= 6) await round();
});
