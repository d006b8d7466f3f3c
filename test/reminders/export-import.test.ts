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
  const me = await ben.query('{ me { dayReminder channels { name } } }');
  expect(me).toEqual({ me: { dayReminder: '21:00', channels: [{ name: 'Phone' }] } });
  expect(await at('2026-11-22T07:05:00Z')).toEqual([['Swim', OPEN]]);
  expect(await at('2026-11-22T20:30:00Z')).toEqual([['Swim', OPEN]]);
  expect(await at('2026-11-22T21:00:00Z')).toEqual([['Swim', '1 left: Swim.']]);
  expect(await at('2026-11-23T20:30:00Z')).toEqual([]); // a Monday
});
