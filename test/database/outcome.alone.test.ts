import { describe, expect, it } from 'vitest';
import { isPlanStale, refusalByCode } from '../../src/database/outcome.js';

describe('A statement that the database has ended', () => {
  it.each([
    ['took all of its time', '57014'],
    ['waited for a lock', '55P03'],
    ['met another in a deadlock', '40P01'],
  ])('because it %s is told as overloaded, since the database is there', (_, code) => {
    expect(refusalByCode({ code })).toMatchObject({
      reason: 'OVERLOADED',
      details: { outcome: 'NOT_APPLIED' },
    });
  });

  it('because the server does not take any is told as a database that is away', () => {
    expect(refusalByCode({ code: '57P03' })).toMatchObject({ reason: 'DATABASE_AWAY' });
  });
});

describe('A prepared statement that a migration has made stale', () => {
  const routine = 'RevalidateCachedQuery';

  it('is known by its code and the function that says so: one of both alone may be another error', () => {
    expect(isPlanStale({ code: '0A000', routine })).toBe(true);
    for (const other of [{ code: '0A000', routine: 'transformStmt' }, { code: 'XX000', routine }, {}, null])
      expect(isPlanStale(other), JSON.stringify(other)).toBe(false);
  });
});
