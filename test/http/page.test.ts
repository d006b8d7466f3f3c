import { describe, expect, it } from 'vitest';
import { world } from '../support/world.js';

describe('The page', () => {
  it('is at / for whoever reads it, and for no other method', async () => {
    const { base, rest } = await world();
    const page = await fetch(`${base}/`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('<title>Steady</title>');
    expect(await rest.post('/', {})).toMatchObject({ status: 404, body: { error: 'Not found' } });
  });
});
