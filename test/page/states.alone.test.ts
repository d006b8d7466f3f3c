import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DayState } from '../../src/features/schedules/judged-days.js';

/** They show no mark: nothing was asked for, or not yet. */
const PLAIN = ['REST', 'FUTURE'];

describe.each(['board/board.css', 'habit/habit.css'])('The days of %s', (file) => {
  const css = readFileSync(`src/page/client/${file}`, 'utf8');
  const styled = new Set([...css.matchAll(/\.is-([a-z]+)/g)].map(([, name = '']) => name.toUpperCase()));

  it('have a mark for each state, by the name that it has', () => {
    const states = Object.keys(DayState).filter((state) => !PLAIN.includes(state));
    const withShape = file.startsWith('habit') ? ['SKIPPED', 'PAUSED'] : []; // a shape of their own is enough
    expect(states.filter((state) => !styled.has(state) && !withShape.includes(state))).toEqual([]);
    expect([...styled].filter((name) => name !== 'TODAY' && !(name in DayState))).toEqual([]);
  });
});
