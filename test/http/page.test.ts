import { get } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { configOf } from '../support/database.js';
import { world } from '../support/world.js';

/** Not unpacked, as `fetch` would. */
const asSent = (address: string, encoding: string): Promise<Buffer & { encoding?: string }> =>
  new Promise((resolve, reject) => {
    get(address, { headers: { 'accept-encoding': encoding } }, async (answer) => {
      const body = Buffer.concat(await answer.toArray());
      resolve(Object.assign(body, { encoding: answer.headers['content-encoding'] ?? '' }));
    }).on('error', reject);
  });

const BELOW_A_PATH = configOf({ PUBLIC_URL: 'https://a.example/habits' });

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

  it('is all of one origin, may run no code from elsewhere, and keeps its files for good', async () => {
    const { base } = await world({ config: BELOW_A_PATH });
    const answer = await fetch(`${base}/habits/`);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|data:|https?:/);
    const html = await answer.text();
    expect(html).not.toMatch(/<script>|<style|\son\w+=/);
    const addresses = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address ?? '');
    expect(addresses.length).toBeGreaterThan(4);
    for (const address of addresses) {
      const file = await fetch(new URL(address, base));
      expect([address, file.status]).toEqual([expect.stringMatching(/^\/habits\/page\//), 200]);
      if (address.includes('/assets/'))
        expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
  });

  it('is sent as it was compressed when it was built, in what the client reads', async () => {
    const { base } = await world({ config: BELOW_A_PATH });
    const page = `${base}/habits/`;
    const html = (await asSent(page, 'identity')).toString();
    const [script = ''] = /\/habits\/page\/assets\/page-[^"]+\.js/.exec(html) ?? [];
    for (const address of [page, base + script]) {
      const plain = await asSent(address, 'br;q=0, gzip;q=0');
      const [br, gzip] = [await asSent(address, 'gzip, deflate, br'), await asSent(address, 'gzip')];
      expect([plain.encoding, br.encoding, gzip.encoding]).toEqual(['', 'br', 'gzip']);
      expect(brotliDecompressSync(br).equals(plain)).toBe(true);
      expect(gunzipSync(gzip).equals(plain)).toBe(true);
      expect((await fetch(address)).headers.get('vary')).toContain('Accept-Encoding');
    }
  });
});
