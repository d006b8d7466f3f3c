import { describe, expect, it } from 'vitest';
import { person } from './person.js';

describe('Days without dates', () => {
  it('end on the day that it is for the user', async () => {
    const { ana, makes, at, does, change } = await person();
    await change('updateProfile(input: { timeZone: "Pacific/Kiritimati" })');
    const swim = await makes('title: "Swim"');
    await does(swim, [2, 3]);
    at(4, 12); // the fifth on Kiritimati
    const days = (asked: string) => `calendar(${asked}) { date }`;
    const sums = (asked: string) => `statistics(${asked}) { keptDays missedDays }`;
    const { me, task } = await ana.query(`{
      me { today two: ${days('last: 2')} since: ${days('from: "2026-11-04"')} }
      task(id: ${swim}) { two: ${days('last: 2')} last: ${sums('last: 3')} ever: ${sums('from: "2026-11-01"')} }
    }`);
    const two = [{ date: '2026-11-04' }, { date: '2026-11-05' }];
    expect(me).toEqual({ today: '2026-11-05', two, since: two });
    const [last, ever] = [1, 2].map((keptDays) => ({ keptDays, missedDays: 1 }));
    expect(task).toEqual({ two, last, ever });
  });

  it('cost as much as the same days by their dates', async () => {
    const { ana, makes } = await person();
    await makes('title: "Swim"');
    const [byDates, byLast] = await Promise.all(
      ['from: "2026-10-27", to: "2026-11-02"', 'last: 7'].map(async (asked) => {
        const query = `{ tasks(first: 2) { nodes { calendar(${asked}) { date } statistics(${asked}) { rate } } } }`;
        return (await ana.rest.post('/graphql', { query }, { 'graphql-cost': '1' })).body;
      }),
    );
    expect(byLast).toEqual(byDates);
    expect(byDates).toMatchObject({ extensions: { cost: { requested: expect.any(Number) } } });
  });
});
