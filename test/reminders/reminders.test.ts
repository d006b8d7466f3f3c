import { describe, expect, it } from 'vitest';
import { addCrowd, addsNtfy, EIGHT, makes, OPEN, PUBLIC_URL, reminded, ringing, sets } from './ringing.js';

describe('Reminders of a task', () => {
  it('are made, sorted, changed and cleared with it', async () => {
    const { newUser } = await ringing();
    const ana = await newUser();
    const given = '[{ at: "20:30", weekdays: [SUNDAY, MONDAY] }, { at: "07:05" }]';
    const id = await makes(ana, `title: "Swim", reminders: ${given}`);
    const read = async () =>
      (await ana.query(`{ task(id: ${id}) { reminders { at weekdays } } }`)).task.reminders;
    const change = (input: string) =>
      ana.query(`mutation { updateTask(id: ${id}, input: { ${input} }) { task { id } } }`);
    await change('title: "Dive"');
    expect(await read()).toEqual([
      { at: '07:05', weekdays: expect.toSatisfy((days) => days.length === 7) },
      { at: '20:30', weekdays: ['MONDAY', 'SUNDAY'] },
    ]);
    for (const none of ['null', '[]']) {
      await change(`reminders: ${given}`);
      await change(`reminders: ${none}`);
      expect(await read()).toEqual([]);
    }
    const six = [1, 2, 3, 4, 5, 6].map((hour) => `{ at: "0${hour}:00" }`).join();
    const wrong = ['"08:00", weekdays: []', '"08:00" }, { at: "08:00"', '"24:00"', '"8:00"'];
    for (const each of [six, ...wrong.map((at) => `{ at: ${at} }`)])
      await expect(change(`reminders: [${each}]`), each).rejects.toThrow(/BAD_USER_INPUT|VALIDATION/);
  });

  it('ring at their time if it is due and not done, once', async () => {
    const { ana, swim, at, clock } = await reminded();
    const change = (mutation: string) => ana.query(`mutation { ${mutation} { __typename } }`);
    expect(await at('2026-11-22T07:59:00Z')).toEqual([]);
    expect(await at('2026-11-22T08:00:00Z')).toEqual([['Swim', OPEN]]);
    expect(await at('2026-11-22T08:01:00Z')).toEqual([]);
    await ana.completes({ id: swim });
    expect(await at('2026-11-23T08:00:00Z')).toEqual([['Swim', '1 day so far.']]);
    clock.set('2026-11-24T07:00:00Z');
    await ana.completes({ id: swim });
    expect(await at('2026-11-24T08:00:00Z')).toEqual([]);
    for (const [day, mutation] of [
      ['25', `skipDay(taskId: ${swim}, date: "2026-11-25")`],
      ['26', 'createPause(input: { from: "2026-11-26", until: "2026-11-26" })'],
      ['27', `archiveTask(id: ${swim})`],
    ]) {
      await change(`${mutation}`);
      expect(await at(`2026-11-${day}T08:00:00Z`)).toEqual([]);
    }
    await change(`unarchiveTask(id: ${swim})`);
    expect(await at('2026-11-28T08:00:00Z')).toHaveLength(1);
  });

  it('of one minute are one message, with the button Done only where one habit is named', async () => {
    const { ana, swim, clock, ring, heard } = await reminded();
    await makes(ana, `title: "Water", target: { amount: 8, unit: "glasses" }, ${EIGHT}`);
    await makes(ana, 'title: "Read"');
    clock.set('2026-11-22T08:00:00Z');
    await ring();
    const [both, ...others] = heard();
    expect(others).toEqual([]);
    expect(both?.body).toMatchObject({ topic: 'ana', title: '2 habits', message: 'Swim, Water' });
    expect(both?.body.actions).toBeUndefined();
    clock.set('2026-11-23T07:00:00Z');
    await ana.completes({ id: swim });
    clock.set('2026-11-23T08:00:00Z');
    await ring();
    const [one] = heard();
    expect(one?.body).toMatchObject({
      title: 'Water',
      message: '0 of 8 glasses.',
      click: expect.stringContaining(`${PUBLIC_URL}/#task=`),
      actions: [{ action: 'http', label: 'Done', method: 'POST', clear: true }],
    });
    expect(one?.body.sequence_id).toMatch(/^[0-9a-f]{32}$/);
  });

  it('carry a link that completes the task, and are taken back everywhere once all they name is done or skipped', async () => {
    const { ana, swim, clock, ring, heard, ntfy, rest, reminders } = await reminded();
    const cleared = async () => {
      await reminders.dismissals.settled();
      return ntfy.taken.splice(0).map(({ method, path }) => [method, path]);
    };
    clock.set('2026-11-22T08:00:00Z');
    await ring();
    const [{ body } = expect.unreachable()] = heard();
    const { pathname } = new URL(body.actions[0].url);
    const pressed = await rest.post(pathname, undefined, { accept: 'application/json' });
    expect(pressed.body).toMatchObject({ task: 'Swim', counted: true, done: true });
    expect(await cleared()).toEqual([['PUT', `/ana/${body.sequence_id}/clear`]]);
    const floss = await makes(ana, `title: "Floss", ${EIGHT}`);
    clock.set('2026-11-23T08:00:00Z');
    await ring();
    heard();
    await ana.completes({ id: swim });
    expect(await cleared()).toEqual([]);
    await ana.query(`mutation { skipDay(taskId: ${floss}, date: "2026-11-23") { date } }`);
    expect(await cleared()).toHaveLength(1);
  });
});

describe("The day's reminder", () => {
  it('tells what is left, and that the run ends with the day', async () => {
    const { ana, swim, at, clock } = await reminded('title: "Swim"');
    await makes(ana, 'title: "Floss"');
    await makes(ana, 'title: "Coffee", target: { amount: 2, unit: "cups", kind: AT_MOST }').catch(() => {});
    await sets(ana, 'dayReminder: "20:00"');
    expect((await ana.query('{ me { dayReminder } }')).me.dayReminder).toBe('20:00');
    expect(await at('2026-11-22T20:00:00Z')).toEqual([['2 habits', '2 left: Swim, Floss.']]);
    await ana.completes({ id: swim });
    expect(await at('2026-11-23T20:00:00Z')).toEqual([
      ['2 habits', '2 left: Swim, Floss. Your run of 1 day ends tonight.'],
    ]);
    await ana.completes({ id: swim });
    clock.set('2026-11-24T19:00:00Z');
    await ana.completes({ id: swim });
    expect(await at('2026-11-24T20:00:00Z')).toEqual([['Floss', '1 left: Floss.']]);
    await sets(ana, 'dayReminder: null, language: DE');
    expect(await at('2026-11-25T20:00:00Z')).toEqual([]);
    await sets(ana, 'dayReminder: "21:00"');
    expect(await at('2026-11-25T21:00:00Z')).toEqual([
      ['2 Gewohnheiten', 'Noch 2: Swim, Floss. Deine Serie von 3 Tagen endet heute Nacht.'],
    ]);
  });

  it('leaves out what a later day of the week will do, until none is left', async () => {
    const { ana, swim, at } = await reminded();
    await ana.query(`mutation { archiveTask(id: ${swim}) { task { id } } }`);
    await makes(ana, 'title: "Run", schedule: { timesPer: { count: 2, period: WEEK } }');
    await makes(ana, 'title: "Spanish", target: { amount: 150, unit: "minutes", per: WEEK }');
    await sets(ana, 'dayReminder: "20:00"');
    await at('2026-11-27T19:59:00Z');
    expect(await at('2026-11-27T20:00:00Z')).toEqual([]); // a Friday
    expect(await at('2026-11-28T20:00:00Z')).toEqual([['Run', '1 left: Run.']]);
    expect(await at('2026-11-29T20:00:00Z')).toEqual([['2 habits', '2 left: Run, Spanish.']]);
  });
});

it('The clock of the user may jump over a time, or show it twice', async () => {
  const { newUser, at, clock } = await ringing();
  clock.set('2026-03-28T12:00:00Z');
  const ana = await newUser();
  await addsNtfy(ana);
  await sets(ana, 'timeZone: "Europe/Berlin"');
  await makes(ana, 'title: "Swim", reminders: [{ at: "02:30" }]');
  expect(await at('2026-03-29T00:59:00Z')).toEqual([]);
  expect(await at('2026-03-29T01:00:00Z')).toHaveLength(1); // 3:00, as the clock jumps
  expect(await at('2026-03-29T01:31:00Z')).toEqual([]);
  clock.set('2026-10-24T12:00:00Z');
  await at('2026-10-24T12:00:00Z');
  expect(await at('2026-10-25T00:30:00Z')).toHaveLength(1);
  expect(await at('2026-10-25T01:30:00Z')).toEqual([]);
});

describe('After an outage', () => {
  it('those of the last half hour ring, each minute by itself, and older ones do not', async () => {
    const times = ['07:29', '07:30', '07:45'].map((time) => `{ at: "${time}" }`);
    const { at } = await reminded(`title: "Swim", reminders: [${times}]`);
    expect(await at('2026-11-22T08:00:00Z')).toHaveLength(2);
    expect(await at('2026-11-22T08:01:00Z')).toEqual([]);
  });

  it('of the sender, messages of the last half hour are sent', async () => {
    const { clock, at, reminders } = await reminded(
      'title: "Swim", reminders: [{ at: "08:00" }, { at: "08:20" }]',
    );
    for (const time of ['08:00', '08:20']) {
      clock.set(`2026-11-22T${time}:00Z`);
      await reminders.job.run();
    }
    expect(await at('2026-11-22T08:31:00Z')).toHaveLength(1);
  });
});

it('Two processes ring and send each message once', async () => {
  const { database, clock, heard, reminders } = await ringing();
  await addCrowd(database, { users: 12, channels: 1, kind: 'NTFY', ringsAt: '2026-11-22T08:00:00Z' });
  clock.set('2026-11-22T08:00:00Z');
  await Promise.all([reminders.job.run(), reminders.job.run(), reminders.job.run()]);
  await Promise.all([reminders.sender.run(), reminders.sender.run()]);
  const topics = heard().map(({ body }) => body.topic);
  expect([topics.length, new Set(topics).size]).toEqual([12, 12]);
});
