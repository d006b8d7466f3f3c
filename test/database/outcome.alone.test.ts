import { expect, it } from 'vitest';
import { isPlanStale, refusalByCode } from '../../src/database/outcome.js';

it.each([
  ['took all of its time', '57014', 'OVERLOADED'],
  ['waited for a lock', '55P03', 'OVERLOADED'],
  ['met another in a deadlock', '40P01', 'OVERLOADED'],
  ['came when the server takes none', '57P03', 'DATABASE_AWAY'],
])('A statement that %s is told as one of %s: %s', (_, code, reason) => {
  expect(refusalByCode({ code })).toMatchObject({ reason, details: { outcome: 'NOT_APPLIED' } });
});

it('A plan that a migration has made stale is known by its code and the function that says so, not by one alone', () => {
  const [code, routine] = ['0A000', 'RevalidateCachedQuery'];
  const known = [{ code, routine }, { code, routine: 'transformStmt' }, { code: 'XX000', routine }, {}, null];
  expect(known.map(isPlanStale)).toEqual([true, false, false, false, false]);
});
