import { describe, expect, it } from 'vitest';
import { configOf } from '../support/database.js';
import { world } from '../support/world.js';

describe('The page', () => {
  it('is at / for whoever reads it, and for no other method', async () => {
    const { base, rest } = await world();
    const page = await fetch(`${base}/`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('<title>Steady</title>');
    expect(await rest.post('/', {})).toMatchObject({ status: 404, body: { error: 'Not found' } });
  });

  it('is left out where UI is off, with all its files', async () => {
    const { rest } = await world({ config: configOf({ UI: 'off' }) });
    for (const path of ['/', '/page/icon.svg'])
      expect(await rest.get(path)).toMatchObject({ status: 404, body: { error: 'Not found' } });
    const worker = await rest.get('/service-worker.js');
    expect(worker.headers.get('cache-control')).toBe('no-cache');
    expect(worker.text).toContain('unregister');
    expect(worker.text).not.toContain('respondWith');
  });
});
