import { expect, it } from 'vitest';
import { addsNtfy, makes, OPEN, ringing, sets } from './ringing.js';

it('Reminders are exported, and ring for who imports them', async () => {
  const { newUser, at } = await ringing();
  const [ana, ben] = [await newUser(), await newUser()];
  await makes(ana, 'title: "Swim", reminders: [{ at: "20:30", weekdays: [SUNDAY] }, { at: "07:05" }]');
  await sets(ana, 'dayReminder: "21:00"');
  const { text } = await ana.rest.get('/account/export');
  await addsNtfy(ben, 'ben');
  await sets(ben, 'dayReminder: "22:00"');
  expect((await ben.rest.post('/account/import', text)).status).toBe(201);
  const read = '{ me { dayReminder channels { name } } tasks { nodes { reminders { at weekdays } } } }';
  const all = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];
  expect(await ben.query(read)).toEqual({
    me: { dayReminder: '21:00', channels: [{ name: 'Phone' }] },
    tasks: {
      nodes: [
        {
          reminders: [
            { at: '07:05', weekdays: all },
            { at: '20:30', weekdays: ['SUNDAY'] },
          ],
        },
      ],
    },
  });
  expect(await at('2026-11-22T07:05:00Z')).toEqual([['Swim', OPEN]]);
  expect(await at('2026-11-22T20:30:00Z')).toEqual([['Swim', OPEN]]);
  expect(await at('2026-11-22T21:00:00Z')).toEqual([['Swim', '1 left: Swim.']]);
});
