import { setTimeout as pause } from 'node:timers/promises';
import { isCommit, isStatement, type TcpProxy } from '../support/proxy.js';
import type { PostgresServer } from '../support/server.js';
import type { Random } from './random.js';
import type { Service, Town } from './town.js';

/** Something that goes wrong for a while; when it resolves, that is over. */
type Fault<Victim> = (victim: Victim, random: Random) => Promise<unknown>;

const aWhile = (random: Random, from: number, to: number) => pause(random.whole(from, to));

const ofDatabase: Record<string, Fault<PostgresServer>> = {
  'stops fast': (server, random) => restart(server, random, 'fast'),
  'stops at once': (server, random) => restart(server, random, 'immediate'),
  'is killed': (server, random) => restart(server, random, 'kill'),
  'loses one of its own': async (server, random) => {
    server.crash();
    await aWhile(random, 500, 1_500);
  },
  'stands still': async (server, random) => {
    server.pause();
    await aWhile(random, 3_000, 6_000);
    server.resume();
  },
  'throws everyone out': (server) =>
    server.execute(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname is not null and pid <> pg_backend_pid()',
    ),
};

async function restart(server: PostgresServer, random: Random, how: 'fast' | 'immediate' | 'kill') {
  await server.halt(how);
  await aWhile(random, 0, 2_000);
  await server.start();
}

const isCompletion = isStatement('insert into task_completions');

/** For longer than anyone waits for them; then they go on. */
const holding = (matches: typeof isCommit): Fault<TcpProxy> =>
  healed(async (proxy, random) => {
    for (let times = 3; times > 0; times -= 1) proxy.when(matches, (wire) => wire.stall());
    await aWhile(random, 3_500, 6_000);
  });

const swallowing = (matches: typeof isCommit, ending?: 'reset'): Fault<TcpProxy> =>
  healed(async (proxy, random) => {
    for (let times = random.whole(1, 5); times > 0; times -= 1) proxy.swallow(matches, ending);
    await aWhile(random, 500, 2_000);
  });

const ofNetwork: Record<string, Fault<TcpProxy>> = {
  'is slow': healed(async (proxy, random) => {
    proxy.delay(random.whole(20, 400));
    await aWhile(random, 1_000, 2_000);
  }),
  'stands still': healed(async (proxy, random) => {
    proxy.stall();
    await aWhile(random, 1_000, 5_000);
  }),
  'forgets one connection': healed(async (proxy, random) => {
    if (proxy.wires.size > 0) random.pick([...proxy.wires]).stall();
    await aWhile(random, 3_000, 6_000);
  }),
  'holds completions back': holding(isCompletion),
  'holds commits back': holding(isCommit),
  'ends every connection': async (proxy) => proxy.cut(),
  'breaks every connection': async (proxy) => proxy.reset(),
  'ends connections after some bytes of questions': healed(async (proxy, random) => {
    proxy.cutAfter(random.whole(1, 4_000), 'toServer');
    await aWhile(random, 500, 2_000);
  }),
  'ends connections after some bytes of answers': healed(async (proxy, random) => {
    proxy.cutAfter(random.whole(1, 4_000), 'toClient');
    await aWhile(random, 500, 2_000);
  }),
  'swallows what became of completions, then breaks': swallowing(isCompletion, 'reset'),
  'swallows what became of commits': swallowing(isCommit),
  'refuses new connections': healed(async (proxy, random) => {
    proxy.refuse();
    proxy.cut();
    await aWhile(random, 200, 2_000);
  }),
};

function healed(fault: Fault<TcpProxy>): Fault<TcpProxy> {
  return async (proxy, random) => {
    await fault(proxy, random);
    await proxy.heal();
  };
}

const ofProcess: Record<string, Fault<Service>> = {
  'is killed': async (service, random) => {
    await service.end('SIGKILL');
    await aWhile(random, 0, 500);
    await service.start();
  },
  'stands still': async (service, random) => {
    service.process?.child.kill('SIGSTOP');
    await aWhile(random, 500, 4_000);
    service.process?.child.kill('SIGCONT');
  },
  'is stopped': async (service) => {
    await service.end('SIGTERM');
    await service.start();
  },
};

/** Everything that can go wrong, one after the other for each part of the town, all parts at once. */
export async function storm({ server, services, diary }: Town, seed: Random): Promise<void> {
  async function befall<Victim>(
    name: string,
    victim: Victim,
    faults: Record<string, Fault<Victim>>,
    random: Random,
    longestPause: number,
  ) {
    for (const [what, fault] of random.shuffled(Object.entries(faults))) {
      await aWhile(random, 100, longestPause);
      diary.write(`${name} ${what}`);
      await fault(victim, random);
      diary.write(`${name}: over`);
    }
  }
  const onProcesses = async (random: Random) => {
    for (const service of random.shuffled(services)) {
      await befall(`Process ${service.name}`, service, ofProcess, random, 4_000);
    }
  };
  await Promise.all([
    befall('The database', server, ofDatabase, seed.another(), 6_000),
    onProcesses(seed.another()),
    ...services.map(({ name, proxy }) =>
      befall(`The network of ${name}`, proxy, ofNetwork, seed.another(), 800),
    ),
  ]);
}
