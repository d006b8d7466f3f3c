import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { readConfig } from '../../src/features/settings.js';
import { examine } from '../../src/operation/doctor/examination.js';
import { openDatabase } from '../../src/operation/startup/instance.js';
import { explainStartError } from '../../src/operation/startup/start-errors.js';
import { type Pooled, startPooled } from '../support/pooled.js';
import { needs } from '../support/tools.js';

describe('An address of a pooler that is wrong ends the start, and names itself', needs('PgBouncer'), () => {
  let pooled: Pooled;
  beforeAll(async () => {
    pooled = await startPooled();
  });
  afterAll(() => pooled?.stop());

  const fault = async (environment: Record<string, string>, databaseStartTimeout = 0) => {
    const config = { ...readConfig(environment), databaseStartTimeout };
    try {
      await (await openDatabase(config)).close();
      return 'It starts.';
    } catch (error) {
      return explainStartError(error);
    }
  };
  const wrongIn = async (environment: Record<string, string>) =>
    (await examine(systemClock, environment))
      .filter(({ state }) => state === 'wrong')
      .map(({ message, fix }) => `${message}. ${fix}`);
  const noSessionAt = (setting: string) =>
    expect.stringMatching(
      `^The database of ${setting} cannot be used: .*unsupported startup parameter.*set DATABASE_DIRECT_URL to the server itself`,
    );

  it('when the way past the pooler is missing, when it leads to the pooler, or nowhere', async () => {
    const { DATABASE_URL, DATABASE_DIRECT_URL } = await pooled.newDatabase();
    expect(await fault({ DATABASE_URL }, 600_000)).toEqual(noSessionAt('DATABASE_URL'));
    expect(await wrongIn({ DATABASE_URL })).toEqual([noSessionAt('DATABASE_URL')]);
    const twice = { DATABASE_URL: `${DATABASE_URL}?keepalives=1`, DATABASE_DIRECT_URL: DATABASE_URL };
    expect(await fault(twice)).toEqual(noSessionAt('DATABASE_DIRECT_URL'));
    const nowhere = 'postgres://postgres@127.0.0.1:1/steady';
    const told = /^The database of DATABASE_URL cannot/;
    expect(await fault({ DATABASE_URL: nowhere, DATABASE_DIRECT_URL })).toMatch(told);
    const toldDirect = /^The database of DATABASE_DIRECT_URL cannot/;
    expect(await fault({ DATABASE_URL, DATABASE_DIRECT_URL: nowhere })).toMatch(toldDirect);
  });

  it('and right ones are found to be right', async () => {
    const addresses = await pooled.newDatabase();
    expect(await fault(addresses)).toBe('It starts.');
    expect(await wrongIn(addresses)).toEqual([]);
  });
});
