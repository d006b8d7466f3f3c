import { describe, expect, it } from 'vitest';
import { configOf } from '../support/database.js';
import { statementsOf } from '../support/statements.js';
import { person } from './person.js';

describe.each(['off', 'always'] as const)('Days without dates, fast path %s', (fastPath) => {
  it('end on the day that it is for the user', async () => {
    const { ana, makes, at, does } = await person({ ...configOf(), fastPath });
    await ana.query(
      'mutation { updateProfile(input: { timeZone: "Pacific/Kiritimati" }) { user { timeZone } } }',
    );
    const swim = await makes('title: "Swim"');
    await does(swim, [2, 3]);
    at(4, 12); // the fifth on Kiritimati
    const days = (asked: string) => `calendar(${asked}) { date completionCount }`;
    const sums = (asked: string) => `statistics(${asked}) { keptDays missedDays }`;
    const query = `query ($last: Int, $from: Date) {
      me { today two: ${days('last: 2')} since: ${days('from: $from')} }
      task(id: ${swim}) { three: ${days('last: $last')} since: ${days('from: $from')} both: ${days('from: $from, to: "2026-11-04"')}
        last: ${sums('last: $last')} ever: ${sums('from: "2026-11-01"')} }
    }`;
    const variables = { last: 3, from: '2026-11-04' };
    const { data } = await ana.rest.ask(query, variables);
    const named = (list: { date: string; completionCount: number }[]) =>
      list.map(({ date, completionCount }) => `${date}: ${completionCount}`);
    expect(data?.me.today).toBe('2026-11-05');
    expect(named(data?.me.two)).toEqual(['2026-11-04: 0', '2026-11-05: 0']);
    expect(named(data?.me.since)).toEqual(named(data?.me.two));
    expect(named(data?.task.three)).toEqual(['2026-11-03: 1', '2026-11-04: 0', '2026-11-05: 0']);
    expect(named(data?.task.since)).toEqual(['2026-11-04: 0', '2026-11-05: 0']);
    expect(named(data?.task.both)).toEqual(['2026-11-04: 0']);
    expect(data?.task.last).toEqual({ keptDays: 1, missedDays: 1 });
    expect(data?.task.ever).toEqual({ keptDays: 2, missedDays: 1 });
  });
});

describe('A range that is refused', () => {
  it('takes none of the others of its request along', async () => {
    const { ana, makes } = await person();
    await makes('title: "Swim"');
    const query =
      '{ me { long: calendar(from: "2010-01-01") { date } } other: me { calendar(last: 1) { date } } }';
    const body = await ana.rest.ask(query);
    expect(body.errors).toHaveLength(1);
    expect(body.errors[0].path).toEqual(['me', 'long']);
  });
});

describe('The last days', () => {
  it('cost what they are, and no statement more', async () => {
    const here = await person();
    const { ana, makes } = here;
    for (const title of ['Swim', 'Run']) await makes(`title: "${title}"`);
    const list = (asked: string) =>
      `{ tasks(first: 2) { nodes { calendar(${asked}) { date } statistics(${asked}) { rate } } } }`;
    const [byDates, byLast] = ['from: "2026-10-27", to: "2026-11-02"', 'last: 7'].map(list);
    const answers: unknown[] = [];
    const statements: string[][] = [];
    for (const query of [byDates, byLast]) {
      const asked = await statementsOf(here, async () => {
        const { body } = await ana.rest.post('/graphql', { query }, { 'graphql-cost': '1' });
        answers.push(body);
      });
      statements.push(asked);
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ extensions: { cost: { requested: expect.any(Number) } } });
    expect(statements[1]).toEqual(statements[0]);
  });
});
