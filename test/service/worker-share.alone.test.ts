import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/features/settings.js';
import { shareOf } from '../../src/operation/startup/worker-share.js';

const DATABASE_URL = 'postgres://localhost/steady';
const configOf = (environment: Record<string, string>) => readConfig({ DATABASE_URL, ...environment });

const SHARED = ['databasePoolSize', 'maxConnections', 'atWork', 'liveMaxPerProcess'] as const;

describe('The share of a worker', () => {
  it('is that of the whole service, rounded up', () => {
    const { workers, ...share } = shareOf(configOf({ WORKERS: '3' }));
    expect(workers).toBe(3);
    expect(share).toMatchObject({
      databasePoolSize: 4,
      maxConnections: 3_334,
      atWork: 10,
      liveMaxPerProcess: 2_667,
    });
  });

  it.each([2, 3, 7, 64])('makes up the whole, with %i workers, however little that is', (workers) => {
    for (const least of [{}, { maxConnections: 10, databasePoolSize: 1 }]) {
      const whole = { ...configOf({ WORKERS: `${workers}` }), ...least };
      const share = shareOf(whole);
      for (const name of SHARED) {
        expect(share[name], name).toBeGreaterThanOrEqual(1);
        expect(share[name] * workers, name).toBeGreaterThanOrEqual(whole[name]);
      }
      expect(share.databasePoolSize).toBeGreaterThanOrEqual(2);
    }
  });

  it('leaves all else as it is, what one user may do above all', () => {
    const whole = configOf({ WORKERS: '4' });
    const share = shareOf(whole);
    const ofWhole = Object.fromEntries(SHARED.map((name) => [name, whole[name]]));
    expect({ ...share, ...ofWhole }).toEqual(whole);
  });
});
