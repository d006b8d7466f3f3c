import { describe, expect, it } from 'vitest';
import { shareCall, shareSuccess } from '../../src/base/queues/shared-call.js';
import { asRequest, currentRequest } from '../../src/base/request.js';

describe.each([shareCall, shareSuccess])('What %o shares', (share) => {
  it('has the deadline of none of those who ask', async () => {
    const call = share(async () => currentRequest());
    expect(await asRequest(1_000, call)).toBe(null);
  });

  it('is waited for by each no longer than its own request may last', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const call = share(() => promise);
    await expect(asRequest(50, call)).rejects.toMatchObject({
      reason: 'OVERLOADED',
      details: { outcome: 'NOT_APPLIED' },
    });
    const others = [asRequest(60_000, call), call()];
    resolve('there');
    expect(await Promise.all(others)).toEqual(['there', 'there']);
  });
});
