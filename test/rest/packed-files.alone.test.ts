import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { setTimeout as later } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type PackedFile, PackedFiles } from '../../src/rest/packed-files.js';

/** Text that takes about as many bytes when it is packed. */
const long = (bytes: number) => randomBytes(bytes).toString('base64');

/** An export whose reader comes when `read` is called. */
function slowly(files: PackedFiles, owner: string, content: string) {
  const given = { up: false };
  let read = () => {};
  const reader = new Promise<void>((resolve) => {
    read = resolve;
  });
  let filled = () => {};
  const isFull = new Promise<void>((resolve) => {
    filled = resolve;
  });
  const work = async (packed: PackedFile) => {
    await packed.add(content);
    await packed.end();
    filled();
    await reader;
    return text(packed.unpacked());
  };
  const giveUp = () => {
    given.up = true;
  };
  const sent = files.use(owner, work, giveUp);
  sent.catch(() => filled());
  return { sent, given, read: () => read(), isFull };
}

describe('Packed files', () => {
  it('gives up what has been held for long when another needs the room, and never what is small', async () => {
    const files = new PackedFiles(100_000);
    const small = slowly(files, 'small', 'a few words');
    const large = slowly(files, 'large', long(90_000));
    await Promise.all([small.isFull, large.isFull]);
    await later(20); // it has held for some time
    const content = long(80_000);
    const quick = slowly(files, 'quick', content);
    await quick.isFull;
    expect([small, large, quick].map(({ given }) => given.up)).toEqual([false, true, false]);
    for (const { read } of [small, large, quick]) read();
    expect(await small.sent).toBe('a few words');
    expect(await quick.sent).toBe(content);
    await expect(large.sent).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('refuses one that has no room even alone, and has room again afterwards', async () => {
    const files = new PackedFiles(100_000);
    const huge = slowly(files, 'huge', long(400_000));
    await expect(huge.sent).rejects.toMatchObject({ kind: 'unavailable' });
    for (let turn = 0; turn < 5; turn += 1) {
      const content = long(90_000);
      const next = slowly(files, 'huge', content);
      next.read();
      expect(await next.sent).toBe(content);
    }
  });

  it('holds one of each user at a time', async () => {
    const files = new PackedFiles();
    const first = slowly(files, 'ana', 'one');
    await expect(slowly(files, 'ana', 'two').sent).rejects.toMatchObject({ kind: 'throttled' });
    first.read();
    expect(await first.sent).toBe('one');
    const again = slowly(files, 'ana', 'three');
    again.read();
    expect(await again.sent).toBe('three');
  });
});
