import { expect, it } from 'vitest';
import { queriesOf } from '../support/statements.js';
import { person } from './person.js';

it('Scores are read for a list in as many statements as for one, and cost what they look back', async () => {
  const { makes, does, at, ana, ...here } = await person();
  const task = await makes('title: "Swim"');
  await does(task, [2, 3, 4]);
  at(6);
  const list = '{ tasks(first: 100) { nodes { score } } }';
  const kept = 1 - 0.5 ** (3 / 13);
  const score = Number((kept * 0.5 ** (1 / 13)).toFixed(3));
  expect((await ana.query(list)).tasks.nodes).toEqual([{ score }]);
  const one = (await queriesOf(here, () => ana.query(list))).length;
  for (let number = 1; number < 5; number += 1) await makes(`title: "Habit ${number}"`);
  expect((await queriesOf(here, () => ana.query(list))).length).toBe(one);
  const twice = ['a', 'b'].map((name) => `${name}: ${list.slice(1, -1)}`);
  const { errors } = await ana.rest.ask(`{ ${twice.join(' ')} }`);
  expect(errors?.[0].extensions.reason).toBe('TOO_COMPLEX');
});
