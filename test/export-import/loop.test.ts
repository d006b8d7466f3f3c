import { expect, it } from 'vitest';
import { driftsOf } from '../support/drifts.js';
import { LEFT_OUT, loopFiles, zipOf } from '../support/loop.js';
import { type TestUser, world, worldOf } from '../support/world.js';

it('What Loop has exported is imported as an export of ours', async () => {
  const { ana, ...here } = await worldOf('ana');
  await ana.query(
    'mutation { updateProfile(input: { timeZone: "Pacific/Kiritimati", dayStartsAt: 4 }) { user { id } } }',
  );
  const bringsIn = (file: Buffer) => uploaded(ana, file, 'application/zip');
  expect(await bringsIn(zipOf(loopFiles()))).toEqual({
    status: 201,
    body: {
      tasks: 6,
      challenges: 0,
      completions: 11,
      left_out: LEFT_OUT,
    },
  });
  const { tasks, me } = await ana.query(
    '{ tasks(archived: ANY) { nodes { title completionCount archivedAt target { amount unit kind } calendar(from: "2026-11-15", to: "2026-11-20") { state amount notes } } } me { points streak { count longest } } }',
  );
  expect(
    tasks.nodes.map((task: { title: string; completionCount: number; archivedAt: string | null }) => [
      task.title,
      task.completionCount,
      task.archivedAt !== null,
    ]),
  ).toEqual([
    ['Meditate', 3, false],
    ['Wake up, early', 1, false],
    ['Lauf 😀', 3, false],
    ['Cigarettes', 2, false],
    ['Old "habit"', 2, true],
    ['Meditate', 0, false],
  ]);
  expect(me).toEqual({ points: 90, streak: { count: 5, longest: 5 } });
  expect(await driftsOf(here, ana)).toEqual([]);
  const run = tasks.nodes.find(({ title }: { title: string }) => title === 'Lauf 😀');
  expect(run).toMatchObject({
    target: { amount: 5, unit: 'km', kind: 'AT_LEAST' },
    calendar: [
      { state: 'REST' }, // before its first entry
      { state: 'SKIPPED' },
      { state: 'KEPT', amount: 12.5, notes: ['far'] },
      { state: 'MISSED' },
      { state: 'PARTIAL', amount: 4.999 },
      { state: 'KEPT', amount: 5 },
    ],
  });
  const smoke = tasks.nodes.find(({ title }: { title: string }) => title === 'Cigarettes');
  expect(smoke).toMatchObject({
    target: { amount: 2, kind: 'AT_MOST' },
    calendar: ['REST', 'REST', 'REST', 'EXCEEDED', 'KEPT', 'KEPT'].map((state) => ({ state })),
  });
  expect(await ana.query('{ me { timeZone dayStartsAt } }')).toEqual({
    me: { timeZone: 'Pacific/Kiritimati', dayStartsAt: 4 },
  });
  expect(await bringsIn(zipOf(loopFiles()))).toEqual({
    status: 400,
    body: {
      error:
        'The account has tasks already: send the file with ?into=existing, or import it into an account without any',
    },
  });
  expect(await ana.query('{ tasks(archived: ANY) { totalCount } }')).toEqual({ tasks: { totalCount: 6 } });
});

it.each<[what: string, file: Buffer, error: string]>([
  [
    'another archive',
    zipOf({ 'a.txt': '' }),
    'This is not an export of Loop Habit Tracker: it has no Habits.csv, or several',
  ],
  [
    'a database',
    Buffer.from('SQLite format 3\0'),
    'This is a backup of Loop’s database: in Loop, choose “Export as CSV” instead',
  ],
])('A file of another kind is refused in a sentence: %s', async (_, file, error) => {
  const { newUser } = await world();
  expect(await uploaded(await newUser(), file, 'application/zip')).toEqual({ status: 400, body: { error } });
});

async function uploaded({ rest }: TestUser, body: Buffer, type: string) {
  const headers = { authorization: `Bearer ${rest.token}`, 'content-type': type };
  const answer = await fetch(`${rest.base}/account/import`, {
    method: 'POST',
    headers,
    body: new Uint8Array(body),
  });
  return { status: answer.status, body: await answer.json() };
}
