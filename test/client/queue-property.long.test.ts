import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createClient, type SteadyClient } from '../../packages/client/src/client.js';
import type { Tap } from '../../packages/client/src/queue.js';
import { type ClientStorage, memoryStorage } from '../../packages/client/src/storage.js';
import { type Fault, type FaultyWay, faultyWayTo } from '../support/faulty-way.js';
import { type TestUser, world } from '../support/world.js';

/** Of the storage and of the network: whoever is killed hears of neither any more. */
interface Killable {
  client: SteadyClient;
  kill: () => void;
  /** Killed before so many more steps. */
  killAfter: (steps: number) => void;
  isKilled: () => boolean;
}

const never = () => new Promise<never>(() => {});

const pause = (milliseconds = 0) =>
  new Promise((resolve) => (milliseconds > 1 ? setTimeout(resolve, milliseconds) : setImmediate(resolve)));

/** Its steps take turns with those of others, and any of them may be the last. */
function killable(
  shared: ClientStorage,
  options: Omit<Parameters<typeof createClient>[0], 'storage'>,
  slowness = 0,
): Killable {
  let left = Number.POSITIVE_INFINITY;
  const step = async <Answer>(work: () => Answer | Promise<Answer>): Promise<Answer> => {
    await pause(Math.random() * slowness);
    left -= 1;
    if (left < 0) return never();
    const answer = await work();
    return left < 0 ? never() : answer;
  };
  const storage: ClientStorage = {
    get: (key) => step(() => shared.get(key)),
    set: (key, value) => step(() => shared.set(key, value)),
    delete: (key) => step(() => shared.delete(key)),
    keys: (prefix) => step(() => shared.keys(prefix)),
  };
  const client = createClient({ ...options, storage, fetch: (...asked) => step(() => fetch(...asked)) });
  const kill = () => {
    left = -1;
    client.close();
  };
  const killAfter = (steps: number) => {
    left = Math.min(left, steps);
  };
  return { client, kill, killAfter, isKilled: () => left < 0 };
}

type Action =
  | { kind: 'complete'; client: number; isAwaited: boolean }
  | { kind: 'undo'; client: number; tap: number; isAwaited: boolean }
  | { kind: 'flush'; client: number }
  | { kind: 'kill'; client: number; steps: number }
  | { kind: 'cut' }
  | { kind: 'mend' };

const client = fc.nat(1);
const isAwaited = fc.boolean();

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('complete' as const), client, isAwaited }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('undo' as const), client, tap: fc.nat(20), isAwaited }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('flush' as const), client }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('kill' as const), client, steps: fc.nat(40) }) },
  { weight: 1, arbitrary: fc.constantFrom<Action>({ kind: 'cut' }, { kind: 'mend' }) },
);

const FAULTS: (Fault | undefined)[] = [
  ...[undefined, undefined, undefined],
  ...(['lost', 'unanswered', 'repeated', 'away', 'late'] as const),
];

/** What may be counted of a tap by the end. */
interface Expected {
  tap: Tap;
  may: Set<number>;
}

class Life {
  private readonly storage = memoryStorage();
  private readonly clients: Killable[] = [];
  private readonly under: Promise<unknown>[] = [];
  private readonly expected: Expected[] = [];

  constructor(
    private readonly ana: TestUser,
    private readonly taskId: string,
    private readonly way: FaultyWay,
    private readonly now: () => Date,
  ) {}

  private get options() {
    return { url: this.way.base, token: this.ana.token, now: this.now };
  }

  private clientAt(index: number): Killable {
    const found = this.clients[index];
    if (found && !found.isKilled()) return found;
    const made = killable(this.storage, this.options);
    this.clients[index] = made;
    return made;
  }

  async act(each: Action): Promise<void> {
    if (each.kind === 'cut') return this.way.cut();
    if (each.kind === 'mend') return this.way.mend();
    const killed = this.clientAt(each.client);
    const { client } = killed;
    if (each.kind === 'kill') return killed.killAfter(each.steps);
    if (each.kind === 'flush') return this.begin(client.queue.flush(), killed, false);
    if (each.kind === 'complete') return this.complete(killed, each.isAwaited);
    return this.undo(killed, each.tap, each.isAwaited);
  }

  private async complete(killed: Killable, isAwaited: boolean): Promise<void> {
    const key = `tap-${this.expected.length}`;
    const at = this.now().toISOString();
    const tap: Tap = {
      key,
      taskId: this.taskId,
      state: 'waiting',
      completionId: null,
      amount: null,
      note: key,
      at,
    };
    const known: Expected = { tap, may: new Set([0, 1]) };
    this.expected.push(known);
    const done = killed.client.complete(this.taskId, { key, note: key }).then((made) => {
      known.tap = made;
      known.may.delete(0); // it was kept, and has not been undone
    });
    await this.begin(done, killed, isAwaited);
  }

  private async undo(killed: Killable, index: number, isAwaited: boolean): Promise<void> {
    const known = this.expected[index % Math.max(1, this.expected.length)];
    if (!known || known.may.has(0)) return; // it may not have been kept, or was undone
    known.may.add(0);
    const undone = killed.client.undo(known.tap).then(() => known.may.delete(1));
    await this.begin(undone, killed, isAwaited);
  }

  /** Until it is done, or whoever does it is killed. */
  private async begin(work: Promise<unknown>, killed: Killable, isAwaited: boolean): Promise<void> {
    const over = Promise.race([
      work,
      (async () => {
        while (!killed.isKilled()) await new Promise((resolve) => setTimeout(resolve, 5));
      })(),
    ]);
    this.under.push(over);
    if (isAwaited) await over;
  }

  /** All are killed, and somebody comes later, when no request of theirs is under way any more. */
  async end(): Promise<void> {
    for (const each of this.clients) each?.kill();
    await Promise.all(this.under);
    this.way.mend();
    await this.way.quiet();
    for (const name of await this.storage.keys('sending:')) {
      const sending = JSON.parse((await this.storage.get(name)) ?? '');
      await this.storage.set(name, JSON.stringify({ ...sending, until: 0 }));
    }
    const heir = createClient({ ...this.options, storage: this.storage });
    while ((await heir.queue.flush()) > 0 || heir.queue.error) await pause();
    heir.close();
    expect(heir.queue.refused).toEqual([]);
    expect([...(await this.storage.keys(''))].filter((key) => !/^(owner|today):/.test(key))).toEqual([]);
  }

  async counted(): Promise<void> {
    const { completions } = await this.ana.query('{ completions(first: 100) { nodes { note } } }');
    const notes = completions.nodes.map(({ note }: { note: string }) => note);
    const wrong = this.expected.flatMap(({ tap, may }) => {
      const times = notes.filter((note: string) => note === tap.key).length;
      return may.has(times) ? [] : [{ key: tap.key, times, may: [...may] }];
    });
    expect(wrong).toEqual([]);
  }
}

it('counts each tap once, and none that was undone, whatever is lost, whoever is killed, in whatever order', async () => {
  const { base, clock, newUser } = await world();
  const way = await faultyWayTo(base);
  const life = fc.asyncProperty(
    fc.array(action, { minLength: 3, maxLength: 25 }),
    fc.infiniteStream(fc.constantFrom(...FAULTS)),
    async (actions, faults) => {
      const ana = await newUser();
      const taskId = String((await ana.hasTask()).id);
      const lived = new Life(ana, taskId, way, () => clock.now());
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

it('takes back what another client is sending, whichever of them is faster', async () => {
  const { base, clock, newUser } = await world();
  const way = await faultyWayTo(base);
  const ana = await newUser();
  const taskId = String((await ana.hasTask()).id);
  const options = { url: way.base, token: ana.token, now: () => clock.now() };
  const round = async () => {
    const shared = memoryStorage();
    const clients = [8, 8, 8].map((slowness) => killable(shared, options, slowness).client);
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
