import { describe, expect, it } from 'vitest';
import { type Play, play } from '../../bench/played.js';
import { Resource, Simulation } from '../../bench/queueing.js';

const SETUP = { processes: 1, databases: 1, cores: 2, pool: 10, network: 0.2, admitted: 1_000 };

const usual: Play = {
  setup: SETUP,
  costs: { list: { process: 0.5, database: 0.1 }, completion: { process: 0.5, database: 0.3, disk: 1 } },
  rates: { list: 800, completion: 200 },
  seconds: 6,
};

describe('The simulation', () => {
  it('makes a queue wait as long as theory says', () => {
    const simulation = new Simulation(1);
    const server = new Resource(simulation);
    let [waited, count] = [0, 0];
    const arrive = (): void => {
      const at = simulation.now;
      const work = (over: () => void) => {
        waited += simulation.now - at;
        count += 1;
        simulation.after(simulation.exponential(0.7), over);
      };
      server.during(work)(() => {});
      if (count < 200_000) simulation.after(simulation.exponential(1), arrive);
    };
    arrive();
    simulation.run();
    const expected = (0.7 * 0.7) / (1 - 0.7); // M/M/1: utilisation 0.7, a mean service time of 0.7
    expect(waited / count / expected).toBeCloseTo(1, 1);
    expect(server.use).toBeCloseTo(0.7, 1);
  });

  it('gives the same for the same seed, and something else for another', () => {
    expect(play(usual)).toEqual(play(usual));
    expect(play({ ...usual, seed: 2 })).not.toEqual(play(usual));
  });

  it('serves no more than what is busiest can do, and refuses the rest', () => {
    const over = play({ ...usual, rates: { list: 3_200, completion: 800 } });
    expect(over.busiest).toEqual({ what: 'processes', use: expect.closeTo(1, 1) });
    expect(over.servedPerSecond / 2_000).toBeCloseTo(1, 1);
    expect(over.refused).toBeGreaterThan(0.3);
    expect(play(usual)).toMatchObject({ refused: 0, failed: 0 });
  });

  it('makes the completions of one user wait for each other', () => {
    const { p99, p99Viral } = play({ ...usual, viral: 1 });
    expect(p99Viral).toBeGreaterThan(p99);
    expect(p99).toBeGreaterThan(play(usual).p99);
  });

  it('lets a dead database take the connections of all, unless there are enough', () => {
    const outage = { database: 1, from: 1, to: 5 };
    const played = (pool: number) => play({ ...usual, outage, setup: { ...SETUP, databases: 4, pool } });
    expect(played(10).p99Elsewhere).toBeGreaterThan(1_000);
    expect(played(2_000)).toMatchObject({ failedElsewhere: 0, failed: expect.closeTo(0.2, 1) });
    expect(played(2_000).p99Elsewhere).toBeLessThan(50);
  });
});
