import { describe, expect, it } from 'vitest';
import { type TestUser, worldOf } from '../support/world.js';

const errorsOf = async (ana: TestUser, query: string) => (await ana.rest.ask(query)).errors;

const household = async () => {
  const { ana } = await worldOf('ana');
  const { id } = await ana.hasTask();
  const { createPause } = await ana.query(
    'mutation { createPause(input: { from: "2026-11-23" }) { pause { id } } }',
  );
  return { ana, id, pause: createPause.pause.id as string };
};

describe('Null', () => {
  it.each([
    ['updateTask', ['title', 'points', 'schedule', 'isDailyRoutine']],
    ['updateProfile', ['name', 'timeZone', 'dayStartsAt', 'weekStartsOn']],
    ['updatePause', ['from']],
  ])('for what is never empty is refused, with what keeps it: %s', async (mutation, fields) => {
    const { ana, id, pause } = await household();
    const which = { updateTask: `id: ${id}, `, updatePause: `id: "${pause}", ` }[mutation] ?? '';
    for (const name of fields)
      expect(
        await errorsOf(ana, `mutation { ${mutation}(${which}input: { ${name}: null }) { __typename } }`),
      ).toMatchObject([
        {
          message: expect.stringMatching(/ cannot be null: leave it out to keep it$/),
          extensions: { code: 'BAD_USER_INPUT', reason: 'INVALID_INPUT', fields: [{ name }] },
        },
      ]);
  });
});

describe('A note that is forgotten', () => {
  it('is refused where it is all that changes, and stays', async () => {
    const { ana, id } = await household();
    const { completeTask } = await ana.query(
      `mutation { completeTask(taskId: ${id}, note: "Cold") { completion { id } } }`,
    );
    const change = (args: string) =>
      `mutation { updateCompletionNote(id: ${completeTask.completion.id}${args}) { completion { note } } }`;
    expect(await errorsOf(ana, change(''))).toMatchObject([
      { message: 'Note must be given: null clears it', extensions: { fields: [{ name: 'note' }] } },
    ]);
    expect((await ana.query('{ completions { nodes { note } } }')).completions.nodes).toEqual([
      { note: 'Cold' },
    ]);
    expect((await ana.query(change(', note: null'))).updateCompletionNote.completion).toEqual({ note: null });
  });
});
