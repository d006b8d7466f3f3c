import { describe, expect, it } from 'vitest';
import { addsNtfy, EIGHT, makes, OPEN, PUBLIC_URL, reminded, ringing, sets } from './ringing.js';

describe('Reminders of a task', () => {
  it('are made, sorted, changed and cleared with it', async () => {
    const { newUser } = await ringing();
    const ana = await newUser();
    const id = await makes(
      ana,
      'title: "Swim", reminders: [{ at: "20:30", weekdays: [SUNDAY, MONDAY] }, { at: "07:05" }]',
    );
    const read = async () =>
      (await ana.query(`{ task(id: ${id}) { reminders { at weekdays } } }`)).task.reminders;
    const all = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];
    const both = [
      { at: '07:05', weekdays: all },
      { at: '20:30', weekdays: ['MONDAY', 'SUNDAY'] },
    ];
    expect(await read()).toEqual(both);
    const change = (input: string) =>
      ana.query(`mutation { updateTask(id: ${id}, input: { ${input} }) { task { id } } }`);
    await change('title: "Dive"');
    expect(await read()).toEqual(both);
    await change('reminders: null');
    expect(await read()).toEqual([]);
    await change('reminders: [{ at: "07:05" }]');
    await change('reminders: []');
    expect(await read()).toEqual([]);
    for (const wrong of ['"08:00", weekdays: []', '"08:00" }, { at: "08:00"', '"24:00"', '"8:00"'])
      await expect(change(`reminders: [{ at: ${wrong} }]`), wrong).rejects.toThrow(
        /BAD_USER_INPUT|VALIDATION/,
      );
    const six = [1, 2, 3, 4, 5, 6].map((hour) => `{ at: "0${hour}:00" }`);
    await expect(change(`reminders: [${six}]`)).rejects.toThrow('BAD_USER_INPUT');
  });

  it('ring at their time if it is due and not done, once', async () => {
    const { ana, swim, at, clock } = await reminded();
    expect(await at('2026-11-22T07:59:00Z')).toEqual([]);
    expect(await at('2026-11-22T08:00:00Z')).toEqual([['Swim', OPEN]]);
    expect(await at('2026-11-22T08:01:00Z')).toEqual([]);
    clock.set('2026-11-22T09:00:00Z');
    await ana.completes({ id: swim });
    expect(await at('2026-11-23T08:00:00Z')).toEqual([['Swim', '1 day so far.']]);
    clock.set('2026-11-24T07:00:00Z');
    await ana.completes({ id: swim });
    expect(await at('2026-11-24T08:00:00Z')).toEqual([]);
    await ana.query(`mutation { skipDay(taskId: ${swim}, date: "2026-11-25") { date } }`);
    expect(await at('2026-11-25T08:00:00Z')).toEqual([]);
    await ana.query(
      `mutation { createPause(input: { from: "2026-11-26", until: "2026-11-26" }) { pause { id } } }`,
    );
    expect(await at('2026-11-26T08:00:00Z')).toEqual([]);
    await ana.query(`mutation { archiveTask(id: ${swim}) { task { id } } }`);
    expect(await at('2026-11-27T08:00:00Z')).toEqual([]);
    await ana.query(`mutation { unarchiveTask(id: ${swim}) { task { id } } }`);
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

  it('carry a link that completes the task and takes the message back everywhere', async () => {
    const { ana, swim, clock, ring, heard, ntfy, rest, reminders } = await reminded();
    clock.set('2026-11-22T08:00:00Z');
    await ring();
    const [message] = heard();
    const { pathname } = new URL(message?.body.actions[0].url);
    const pressed = await rest.post(pathname, undefined, { accept: 'application/json' });
    expect(pressed.body).toMatchObject({ task: 'Swim', counted: true, done: true });
    await reminders.dismissals.settled();
    expect(ntfy.taken).toMatchObject([{ method: 'PUT', path: `/ana/${message?.body.sequence_id}/clear` }]);
    const { task } = await ana.query(`{ task(id: ${swim}) { today { state } } }`);
    expect(task.today.state).toBe('KEPT');
  });

  it('are taken back once all that they name is done or skipped', async () => {
    const { ana, swim, clock, ring, heard, ntfy, reminders } = await reminded();
    const floss = await makes(ana, `title: "Floss", ${EIGHT}`);
    clock.set('2026-11-22T08:00:00Z');
    await ring();
    heard();
    await ana.completes({ id: swim });
    await reminders.dismissals.settled();
    expect(ntfy.taken).toEqual([]);
    await ana.query(`mutation { skipDay(taskId: ${floss}, date: "2026-11-22") { date } }`);
    await reminders.dismissals.settled();
    expect(ntfy.taken).toMatchObject([{ method: 'PUT' }]);
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
    const { newUser, at } = await ringing();
    const ana = await newUser();
    await addsNtfy(ana);
    const times = ['07:29', '07:30', '07:45'].map((time) => `{ at: "${time}" }`);
    await makes(ana, `title: "Swim", reminders: [${times}]`);
    expect(await at('2026-11-22T08:00:00Z')).toHaveLength(2);
    expect(await at('2026-11-22T08:01:00Z')).toEqual([]);
  });

  it('of the sender, messages of the last half hour are sent', async () => {
    const { clock, ring, heard, reminders } = await reminded(
      'title: "Swim", reminders: [{ at: "08:00" }, { at: "08:20" }]',
    );
    for (const time of ['08:00', '08:20']) {
      clock.set(`2026-11-22T${time}:00Z`);
      await reminders.job.run();
    }
    clock.set('2026-11-22T08:31:00Z');
    await ring();
    expect(heard()).toHaveLength(1);
  });
});

describe('Two processes', () => {
  it('ring and send each message once', async () => {
    const { newUser, clock, heard, reminders } = await ringing();
    const users = await Promise.all(Array.from({ length: 12 }, () => newUser()));
    for (const [index, user] of users.entries()) {
      await addsNtfy(user, `user-${index}`);
      await makes(user, `title: "Swim", ${EIGHT}`);
      await makes(user, `title: "Floss", ${EIGHT}`);
    }
    clock.set('2026-11-22T08:00:00Z');
    await Promise.all([reminders.job.run(), reminders.job.run(), reminders.job.run()]);
    await Promise.all([reminders.sender.run(), reminders.sender.run()]);
    const sent = heard();
    expect(sent.map(({ body }) => body.topic).sort()).toEqual(
      users.map((_, index) => `user-${index}`).sort(),
    );
    expect(new Set(sent.map(({ body }) => body.message))).toEqual(new Set(['Swim, Floss']));
  });
});
