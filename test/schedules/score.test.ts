import { describe, expect, it } from 'vitest';
import { queriesOf } from '../support/statements.js';
import { person } from './person.js';

describe('The score of a task', () => {
  it('is asked for beside its streak, which a bad day ends', async () => {
    const { makes, does, at, read } = await person();
    const task = await makes('title: "Swim"');
    expect(await read(task, 'score')).toEqual({ score: 0 });
    await does(task, [2, 3, 4]);
    at(6);
    const kept = 1 - 0.5 ** (3 / 13);
    expect(await read(task, 'score streak { count }')).toEqual({
      score: Number((kept * 0.5 ** (1 / 13)).toFixed(3)),
      streak: { count: 0 },
    });
  });

  it('is read for a list in as many statements as for one, and costs what it looks back', async () => {
    const here = await person();
    const list = '{ tasks(first: 100) { nodes { score } } }';
    await here.makes('title: "Habit"');
    await here.ana.query(list);
    const one = (await queriesOf(here, () => here.ana.query(list))).length;
    for (let number = 1; number < 30; number += 1) await here.makes(`title: "Habit ${number}"`);
    expect((await queriesOf(here, () => here.ana.query(list))).length).toBe(one);
    const twice = ['a', 'b'].map((name) => `${name}: ${list.slice(1, -1)}`);
    const { errors } = await here.ana.rest.ask(`{ ${twice.join(' ')} }`);
    expect(errors?.[0].extensions.reason).toBe('TOO_COMPLEX');
  });
});
