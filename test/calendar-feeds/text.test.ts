import { describe, expect, it } from 'vitest';
import { type World, worldOf } from '../support/world.js';
import { calendarOf, daysWith, entriesIn, parsed, read } from './reading.js';

const TODAY = '2026-11-21';

async function withSwim(input: object = {}) {
  const { ana, ...here } = await worldOf('ana');
  const { id } = await ana.hasTask();
  return { ana, here: here as World, ...(await calendarOf(ana, input)), task: id };
}

describe('The text of a calendar', () => {
  it('has lines that end with CRLF, are folded at 75 octets, and read back as what they were', async () => {
    const { ana, ...here } = await worldOf('ana');
    const titles = [
      `${'Läufe und Übungen für drei Wochen '.repeat(6)}, "täglich"; \\n \\ und: mehr`,
      ...['😀🏊‍♀️'.repeat(60), 'END:VCALENDAR', `${'a'.repeat(67)}é`],
    ];
    for (const title of titles) await ana.hasTask({ title });
    await ana.hasTask({ title: 'Swim\r\nEND:VEVENT\u0085END\u2028END\tX\nUID:1' });
    const { path } = await calendarOf(ana, { name: 'Été, '.repeat(30).trim(), links: true });
    const { text } = await read(here, path);
    expect(text.endsWith('END:VCALENDAR\r\n')).toBe(true);
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\p{Cc}\u2028\u2029\ufffd]/u);
    const lengths = text.split('\r\n').map((line) => Buffer.byteLength(line));
    expect(Math.max(...lengths)).toBeLessThanOrEqual(75);
    expect(Math.max(...lengths)).toBeGreaterThan(70);
    const { entries, calendar } = parsed(text);
    expect(entries.filter(({ start }) => start === TODAY).map(({ summary }) => summary)).toEqual([
      ...titles,
      'Swim END:VEVENT END END X UID:1', // no line of its own
    ]);
    expect(calendar.getFirstPropertyValue('x-wr-calname')).toBe('Été, '.repeat(30).trim());
  });

  it('keeps the UID of an entry, which no other has, while what is said of it changes', async () => {
    const { ana, here, path, task } = await withSwim();
    await ana.hasTask({ title: 'Read' });
    await ana.query(
      'mutation { createPause(input: { from: "2026-11-24", until: "2026-11-26" }) { pause { id } } }',
    );
    const days = async () => (await entriesIn(here, path)).map(({ uid, start }) => [uid, start] as const);
    const before = new Map(await days());
    expect(before.size).toBe((await days()).length);
    await ana.completes({ id: task });
    await ana.query(`mutation { updateTask(id: ${task}, input: { title: "Dive" }) { task { id } } }`);
    expect(new Map(await days())).toEqual(before);
    here.clock.advance({ days: 1 });
    const others = (await days()).filter(([uid, start]) => before.get(uid) !== start);
    expect(others.map(([, start]) => start)).toEqual(['2026-12-22', '2026-12-22']);
  });

  it('stays the same for a day, by its ETag too, until something is changed', async () => {
    const { ana, here, path, task } = await withSwim({ links: true });
    const first = await read(here, path);
    const etag = first.headers.get('etag') ?? '';
    here.clock.set('2026-11-21T23:59:59.999Z');
    expect((await read(here, path)).text).toBe(first.text);
    const ask = (given: string) => here.rest.get(path, { 'if-none-match': given });
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const { status, text, headers } = await ask(known);
      expect([status, text, headers.get('etag')], known).toEqual([304, '', etag]);
      expect(headers.get('cache-control')).toBe('private');
    }
    for (const other of ['"other"', etag.slice(1, -1), 'W/"other"', ''])
      expect((await ask(other)).status, other).toBe(200);
    await ana.completes({ id: task });
    const changed = await ask(etag);
    expect([changed.status, changed.headers.get('etag') === etag]).toEqual([200, false]);
    here.clock.set('2026-11-22T00:00:00.000Z');
    expect((await ask(changed.headers.get('etag') ?? '')).status).toBe(200);
  });

  it('is in the language of the user, or else in that of the reader', async () => {
    const { ana, here, path, task } = await withSwim({ links: true });
    await ana.query(
      `mutation { a: createPause(input: { from: "2026-11-24", until: "2026-11-26" }) { pause { id } }
        b: createPause(input: { taskId: ${task}, from: "2026-11-25", until: "2026-11-26" }) { pause { id } } }`,
    );
    const etags = new Set<string | null>();
    const words = async (headers?: Record<string, string>) => {
      const { text, headers: answered } = await read(here, path, headers);
      expect(answered.get('vary')).toContain('Accept-Language');
      etags.add(answered.get('etag'));
      const { entries, calendar } = parsed(text);
      const pauses = entries.filter(({ uid }) => uid.startsWith('pause')).map(({ summary }) => summary);
      const asked = entries.find(({ url }) => url)?.description?.split(' http')[0];
      return [String(calendar.getFirstPropertyValue('prodid')).slice(-5), ...pauses, asked];
    };
    expect(await words()).toEqual(['y//EN', 'Pause', 'Pause: Swim', 'Done?']);
    expect((await words({ 'accept-language': 'de-AT' })).at(-1)).toBe('Erledigt?');
    await ana.query('mutation { updateProfile(input: { language: FR }) { user { id } } }');
    expect(await words({ 'accept-language': 'de-AT' })).toEqual([
      ...['y//FR', 'Pause', 'Pause : Swim', 'C’est fait ?'],
    ]);
    expect(etags.size).toBe(3);
  });
});

describe('The links of a calendar', () => {
  it('are there only if its owner says so, and only on entries of tasks today', async () => {
    const { ana, here, path } = await withSwim({ links: true });
    await ana.query(
      `mutation { createPause(input: { from: "${TODAY}", until: "${TODAY}" }) { pause { id } } }`,
    );
    const { text } = await read(here, path);
    const linked = parsed(text).entries.filter(({ url, description }) => url ?? description);
    expect(linked.map(({ start, summary }) => [start, summary])).toEqual([[TODAY, 'Swim']]);
    expect(linked[0]?.description).toBe(`Done? ${linked[0]?.url}`);
    const without = await calendarOf(ana);
    const plain = (await read(here, without.path)).text;
    expect(plain).not.toContain('check-in');
    expect(plain).not.toMatch(/URL|DESCRIPTION/);
  });

  it('open a page that asks for the tap, and complete the task on that day, once', async () => {
    const { here, path } = await withSwim({ links: true });
    const link = (await entriesIn(here, path)).find(({ url }) => url)?.url ?? '';
    expect(link).toMatch(new RegExp(`^${here.base}/check-in/[\\w-]+\\?ask$`));
    const page = await (await fetch(link, { headers: { accept: 'text/html' } })).text();
    expect(page).toContain("URLSearchParams(location.search).has('ask')");
    const tap = async () =>
      (await fetch(link, { method: 'POST', headers: { accept: 'application/json' } })).json();
    expect(daysWith(await entriesIn(here, path), '✓ Swim')).toEqual([]); // by what was only opened
    expect(await tap()).toMatchObject({ task: 'Swim', day: TODAY, counted: true });
    expect(await tap()).toMatchObject({ counted: false });
    expect(daysWith(await entriesIn(here, path), '✓ Swim')).toEqual([TODAY]);
    here.clock.set('2026-11-22T01:00:00.000Z');
    expect(await tap()).toEqual({ error: 'The day of this link is over' });
    const next = (await entriesIn(here, path)).filter(({ url }) => url);
    expect(next.map(({ start }) => start)).toEqual(['2026-11-22']);
  });
});
