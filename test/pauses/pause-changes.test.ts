import { expect, it } from 'vitest';
import { person, STREAK } from '../schedules/person.js';
import { driftsOf } from '../support/drifts.js';

const PAUSE = 'id from until note task { id }';
const CREATE = `mutation ($input: CreatePauseInput!) { createPause(input: $input) { pause { ${PAUSE} } } }`;
const UPDATE = `mutation ($id: ID!, $input: UpdatePauseInput!) {
  updatePause(id: $id, input: $input) { pause { ${PAUSE} } user { pauses { id } } }
}`;
const DELETE = 'mutation ($id: ID!) { deletePause(id: $id) { deletedId user { pauses { id } } } }';

async function swimming() {
  const here = await person();
  const swim = await here.makes('title: "Swim"');
  await here.does(swim, [2, 3]);
  here.at(4);
  return { ...here, swim };
}

async function paused(input: object) {
  const here = await swimming();
  const { pause } = (await here.ana.query(CREATE, { input })).createPause;
  const changes = async (changed: object) => {
    const { data, errors } = await here.ana.rest.ask(UPDATE, { id: pause.id, input: changed });
    return errors ? errors[0].extensions : data.updatePause.pause;
  };
  return { ...here, pause, changes };
}

it('updatePause changes each of from, until and note by itself, and leaves what is not given', async () => {
  const { pause, changes } = await paused({ from: '2026-11-10', until: '2026-11-20', note: 'Away' });
  let expected = pause;
  for (const change of [
    ...[{ from: '2026-11-12' }, { until: '2026-11-25' }, { note: 'Ill' }, { until: null, note: null }, {}],
  ]) {
    expected = { ...expected, ...change };
    expect(await changes(change)).toEqual(expected);
  }
});

it('A pause that is changed or deleted has its days judged anew, and of one task concerns those of no other', async () => {
  const { ana, swim, at, makes, does, read, states, ...here } = await swimming();
  const run = await makes('title: "Run"');
  await does(run, [4]);
  const input = { taskId: swim, from: '2026-11-04', until: '2026-11-05' };
  const { id } = (await ana.query(CREATE, { input })).createPause.pause;
  await does(swim, [6]);
  await does(run, [6]);
  const streaks = () => Promise.all([swim, run].map(async (task) => (await read(task, STREAK)).streak.count));
  expect(await streaks()).toEqual([3, 1]);
  await ana.query(UPDATE, { id, input: { until: '2026-11-04' } });
  expect(await streaks()).toEqual([1, 1]);
  expect((await states(swim, 4, 5)).map(({ state }) => state)).toEqual(['PAUSED', 'MISSED']);
  expect(await driftsOf(here, ana)).toEqual([]);
  await ana.query(UPDATE, { id, input: { until: '2026-11-05' } });
  expect(await streaks()).toEqual([3, 1]);
  at(7);
  expect((await ana.query(DELETE, { id })).deletePause).toEqual({ deletedId: id, user: { pauses: [] } });
  expect((await read(swim, STREAK)).streak).toMatchObject({ count: 1, longest: 2 });
  expect(await driftsOf(here, ana)).toEqual([]);
});

it('A pause that has begun long ago can be ended, and begins no other day', async () => {
  const { pause, changes, at } = await paused({ from: '2026-11-04' });
  at(28);
  expect(await changes({ until: '2026-11-27' })).toEqual({ ...pause, until: '2026-11-27' });
  expect(await changes({ from: '2026-11-05' })).toMatchObject({
    ...{ reason: 'TOO_LONG_AGO', fields: [{ name: 'from' }] },
  });
});

it('updatePause refuses an end before the beginning, an overlap, a day too far ahead and null for from', async () => {
  const { ana, pause, changes } = await paused({ from: '2026-11-10', until: '2026-11-12' });
  await ana.query(CREATE, { input: { from: '2026-11-20', until: '2026-11-22' } });
  for (const [changed, reason, name] of [
    [{ until: '2026-11-09' }, 'INVALID_INPUT', 'until'],
    [{ from: '2026-11-13' }, 'INVALID_INPUT', 'until'],
    [{ from: null }, 'INVALID_INPUT', 'from'],
    [{ until: '2026-11-20' }, 'PAUSE_OVERLAPS', 'from'],
    [{ until: null }, 'PAUSE_OVERLAPS', 'from'],
    [{ from: '2028-01-01', until: null }, 'IN_FUTURE', 'from'],
  ] as const)
    expect(await changes(changed), JSON.stringify(changed)).toMatchObject({ reason, fields: [{ name }] });
  expect(await changes({})).toEqual(pause); // and nothing was changed
  expect(await changes({ from: '2026-11-11' })).toMatchObject({ from: '2026-11-11' }); // it does not overlap itself
});
