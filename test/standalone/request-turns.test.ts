import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Turns } from '../../src/http/admission.js';

/** How many of ten requests have begun after each turn, if each takes so many milliseconds to begin. */
async function begunInTurns(duration: number): Promise<number[]> {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const turns = new Turns(() => true);
  let begun = 0;
  for (let count = 0; count < 10; count += 1) {
    turns.take('ana', () => {
      now += duration;
      begun += 1;
    });
  }
  const found: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    await setImmediate();
    found.push(begun);
  }
  return found;
}

describe('A turn of the event loop', () => {
  it('begins requests for a millisecond', async () => {
    expect(await begunInTurns(0.25)).toEqual([4, 8, 10]);
  });

  it('begins one request that takes longer', async () => {
    expect(await begunInTurns(5)).toEqual([1, 2, 3]);
  });
});

describe('A line of requests', () => {
  it('gives up the last that may go of whoever has most, whatever came behind it, and none of nobody', () => {
    const turns = new Turns(() => false);
    const turnedAway: string[] = [];
    const wait = (owner: string, name: string) =>
      turns.take(
        owner,
        () => {},
        () => turnedAway.push(name),
      );
    for (const name of ['one', 'two', 'three', 'four', 'five']) wait('', name);
    for (const name of ['first', 'second', 'third']) wait('ana', name);
    turns.take('ana', () => {}); // its body arrives
    turns.makeRoomFor('bob');
    turns.makeRoomFor('bob');
    expect(turnedAway).toEqual(['third', 'second']);
    turns.makeRoomFor('ana');
    expect(turnedAway).toHaveLength(2);
  });
});
