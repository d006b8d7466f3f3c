import { describe, expect, it, onTestFailed, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.js';
import { withServer } from '../support/with-server.js';
import { lossesOf, tally } from './account.js';
import { storm } from './faults.js';
import { Load } from './load.js';
import { Random } from './random.js';
import { foundTown } from './town.js';

const first = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000_000);
const rounds = Number(process.env.CHAOS_ROUNDS ?? 4);
const seeds = Array.from({ length: rounds }, (_, round) => first + round);

const ROUND_LIMIT = 600_000;

describe('Two processes on one PostgreSQL server', () => {
  const server = withServer();

  it.each(seeds)(
    'lose and double nothing in a storm of faults (seed %i)',
    async (seed) => {
      const random = new Random(seed);
      const town = await foundTown(server);
      onTestFinished(() => town.close());
      onTestFailed(() => console.error(town.diary.lines.join('\n')));
      const load = new Load(town, random.another());
      await storm(town, random);
      await load.stop();

      // Everything is as the clients were told, and works again.
      const heard = tally(load);
      console.info(`CHAOS_SEED=${seed} CHAOS_ROUNDS=1`, JSON.stringify(heard));
      expect(await lossesOf(load, town)).toEqual([]);
      expect(town.services.flatMap(({ deaths }) => deaths)).toEqual([]);
      for (const service of town.services) {
        await eventually(() => service.isWhole());
        expect(await service.end('SIGTERM')).toBe(0);
        await service.start();
      }
      expect(await town.command('streaks-verify')).toEqual([0, 'Every counter agrees with its history.\n']);
      // Without such answers nothing was proved.
      for (const answer of ['done', 'notApplied', 'unknown', 'again'] as const)
        expect(heard[answer], answer).toBeGreaterThan(0);
    },
    ROUND_LIMIT,
  );
});
