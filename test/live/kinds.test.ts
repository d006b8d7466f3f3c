import { expect, it } from 'vitest';
import { eventsOf, withFeed } from '../support/feed.js';
import { streamOf } from '../support/live.js';
import { worldOf } from '../support/world.js';

const SUBSCRIPTION =
  'subscription { progressChanged { kind taskIds completionId task { id } completion { id note } user { id } } }';

/** What is changed, and what is told of it: the kind, and whatever else subscribers and the feed are told. */
type Change = [mutation: string, kind: string, live?: object, event?: object];

const nothing = { taskIds: [], completionId: null, task: null, completion: null };
const noEvent = { taskId: null, completionId: null, challengeId: null, pauseId: null, day: null };

it('Every change is told by its kind with what it is of, to who listens and to the feed, and none where nothing changed', async () => {
  const { ana, clock } = await worldOf('ana');
  const [run, swim] = [await ana.hasTask(), await ana.hasTask()].map(({ id }) => String(id));
  await withFeed(ana);
  const stream = await streamOf(ana, SUBSCRIPTION);
  const told: object[] = [];
  /** Answers the id of what was made. */
  const change = async ([mutation, kind, live = {}, event = {}]: Change): Promise<string> => {
    const [answer] = Object.values(await ana.query(`mutation { ${mutation} }`)) as [object];
    const { data, errors } = await stream.next();
    expect([errors, data.progressChanged], mutation).toEqual([
      undefined,
      { ...nothing, ...live, kind, user: { id: ana.id } },
    ]);
    told.push({ ...noEvent, ...event, kind });
    return (Object.values(answer)[0] as { id: string } | null)?.id ?? '';
  };

  const anyId = { taskIds: [expect.any(String)], task: { id: expect.any(String) } };
  const [created, task] = [
    'createTask(input: { title: "Dive" }, idempotencyKey: "a") { task { id } }',
    'task { id }',
  ];
  const id = await change([created, 'TASK_CREATED', anyId, { taskId: expect.any(String) }]);
  await ana.query(`mutation { ${created} }`); // is replayed
  const live = { taskIds: [id], task: { id } };
  const of = { taskId: id };
  const day = '2026-11-23';
  clock.advance({ seconds: 5 });
  for (const each of [
    [`updateTask(id: "${id}", input: { title: "Row" }) { ${task} }`, 'TASK_CHANGED', live, of],
    [`moveTask(id: "${id}", behindTaskId: "${run}") { ${task} }`, 'TASK_MOVED', live, of],
    [`skipDay(taskId: "${id}", date: "${day}") { date }`, 'DAY_SKIPPED', live, { ...of, day }],
    [`skipDay(taskId: "${id}", date: "${day}", note: "Ill") { date }`, 'DAY_SKIPPED', live, { ...of, day }],
    [`unskipDay(taskId: "${id}", date: "${day}") { date }`, 'DAY_UNSKIPPED', live, { ...of, day }],
    [`archiveTask(id: "${id}") { ${task} }`, 'TASK_ARCHIVED', live, of],
    [`unarchiveTask(id: "${id}") { ${task} }`, 'TASK_UNARCHIVED', live, of],
  ] as Change[])
    await change(each);
  for (const idle of [`unarchiveTask(id: "${id}")`, `moveTask(id: "${id}", behindTaskId: "${run}")`])
    await ana.query(`mutation { ${idle} { ${task} } }`);

  const done = { ...of, completionId: expect.any(String) };
  const completed = (note: string | null) => ({
    ...{ ...live, completionId: expect.any(String), completion: { id: expect.any(String), note } },
  });
  const completionId = await change([
    `completeTask(taskId: "${id}") { completion { id } }`,
    ...(['COMPLETION_RECORDED', completed(null), done] as const),
  ]);
  for (const each of [
    [
      `updateCompletionNote(id: "${completionId}", note: "Cold") { completion { id } }`,
      ...['COMPLETION_CHANGED', completed('Cold'), done],
    ],
    [
      `updateCompletionNote(id: "${completionId}", note: null) { completion { id } }`,
      ...['COMPLETION_CHANGED', completed(null), done],
    ],
    [
      `undoCompletion(id: "${completionId}") { completionId }`,
      ...['COMPLETION_UNDONE', { ...live, completionId }, { ...of, completionId }],
    ],
  ] as Change[])
    await change(each);

  const all = { taskIds: expect.toSatisfy((ids: string[]) => ids.length === 3) };
  for (const [taskId, who] of [
    [`"${id}"`, live],
    ['null', all],
  ] as const) {
    const pauseId = await change([
      `createPause(input: { taskId: ${taskId}, from: "2026-12-01" }) { pause { id } }`,
      ...(['PAUSE_BEGUN', who, { pauseId: expect.any(String), ...(who === live && of) }] as const),
    ]);
    const event = { pauseId, ...(who === live && of) };
    await change([
      `updatePause(id: "${pauseId}", input: { note: "x" }) { pause { id } }`,
      'PAUSE_CHANGED',
      who,
      event,
    ]);
    await change([`deletePause(id: "${pauseId}") { deletedId }`, 'PAUSE_ENDED', who, event]);
  }

  const { password, email } = ana.account;
  for (const [input, days] of [
    ['updateProfile(input: { name: "Anna" })', {}],
    ['updateProfile(input: { timeZone: "Asia/Tokyo" })', all], // which changes their days
    [`changePassword(input: { currentPassword: "${password}", newPassword: "${password}" })`, {}],
    [`changeEmail(input: { currentPassword: "${password}", newEmail: "${email.toUpperCase()}" })`, {}],
  ] as const)
    await change([`${input} { user { id } }`, 'PROFILE_CHANGED', days]);

  for (const [templateId, end] of [
    [1, 'complete'],
    [2, 'abandon'],
  ] as const) {
    const made = `acceptChallenge(templateId: ${templateId}) { challenge { id } }`;
    const challengeId = await change([made, 'CHALLENGE_ACCEPTED', {}, { challengeId: expect.any(String) }]);
    const notes = `updateChallengeNotes(id: "${challengeId}", notes: "Good") { challenge { id } }`;
    await change([notes, 'CHALLENGE_CHANGED', {}, { challengeId }]);
    const ended = end === 'complete' ? 'CHALLENGE_COMPLETED' : 'CHALLENGE_ABANDONED';
    await change([`${end}Challenge(id: "${challengeId}") { challenge { id } }`, ended, {}, { challengeId }]);
  }

  for (const each of [run, swim])
    await change([
      `moveTask(id: "${each}", section: "Dawn") { ${task} }`,
      ...(['TASK_MOVED', { taskIds: [each], task: { id: each } }, { taskId: each }] as const),
    ]);
  await change([
    'renameSection(name: "Dawn", newName: "Dusk") { taskCount }',
    ...(['TASK_CHANGED', { taskIds: expect.arrayContaining([run, swim]) }, { taskId: run }] as const),
  ]);
  told.push({ ...noEvent, taskId: swim, kind: 'TASK_CHANGED' });
  await change([`deleteTask(id: "${id}") { deletedId }`, 'TASK_DELETED', { taskIds: [id] }, of]);

  const events = await eventsOf(ana);
  expect(events.map(({ id: _, number: __, at: ___, ...rest }) => rest)).toEqual(told);
  expect(events.map(({ number }) => number)).toEqual(told.map((_, index) => index + 1));
  expect(new Set(events.map((event) => event.id)).size).toBe(told.length);
  expect(events.slice(0, 2).map(({ at }) => at)).toEqual([
    '2026-11-21T12:00:00.000Z',
    '2026-11-21T12:00:05.000Z',
  ]);
});
