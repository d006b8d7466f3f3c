import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/features/settings.js';
import { shareOf } from '../../src/operation/startup/worker-share.js';

const DATABASE_URL = 'postgres://localhost/steady';
const configOf = (environment: Record<string, string>) => readConfig({ DATABASE_URL, ...environment });

const SHARED = ['databasePoolSize', 'maxConnections', 'atWork', 'liveMaxPerProcess'] as const;

describe('The share of a worker', () => {
  it('is that of the whole service, rounded up, and leaves all else as it is', () => {
    const whole = configOf({ WORKERS: '3' });
    const share = { databasePoolSize: 4, maxConnections: 3_334, atWork: 10, liveMaxPerProcess: 2_667 };
    expect(shareOf(whole)).toEqual({ ...whole, ...share });
  });

  it.each([2, 7, 64])('makes up the whole, with %i workers, however little that is', (workers) => {
    const whole = { ...configOf({ WORKERS: `${workers}` }), maxConnections: 10, databasePoolSize: 1 };
    const share = shareOf(whole);
    for (const name of SHARED) expect(share[name] * workers, name).toBeGreaterThanOrEqual(whole[name]);
    expect(share.databasePoolSize).toBeGreaterThanOrEqual(2);
  });
});
