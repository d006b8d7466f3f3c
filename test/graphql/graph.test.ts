import { describe, expect, it } from 'vitest';
import { world, worldOf } from '../support/world.js';

describe('The graph', () => {
  it("tells a challenge's progress from the days on which its linked tasks were completed", async () => {
    const { newUser, renewed, clock } = await world();
    clock.set('2026-11-20T22:00:00.000Z');
    let ana = await newUser();
    const progressAt = async (iso: string) => {
      clock.set(iso);
      ana = renewed(ana);
      const query =
        '{ activeChallenge { progress { isTracked daysTotal daysElapsed daysDone isOver } tasks { totalCount } } }';
      return (await ana.query(query)).activeChallenge;
    };
    await ana.hasAccepted(4); // three days
    const fresh = { isTracked: false, daysTotal: 3, daysElapsed: 1, daysDone: 0, isOver: false };
    expect(await progressAt('2026-11-20T22:00:00.000Z')).toEqual({
      progress: fresh,
      tasks: { totalCount: 0 },
    });

    const linked = await ana.hasTask({ challenge_template_id: 4 });
    await ana.completes(await ana.hasTask());
    await ana.completes(linked);
    await ana.completes(linked);
    expect(await progressAt('2026-11-21T01:00:00.000Z')).toEqual({
      progress: { isTracked: true, daysTotal: 3, daysElapsed: 2, daysDone: 1, isOver: false },
      tasks: { totalCount: 1 },
    });
    await ana.completes(linked);
    expect((await progressAt('2026-11-22T23:59:59.999Z')).progress).toMatchObject({
      daysElapsed: 3,
      daysDone: 2,
      isOver: false,
    });
    expect((await progressAt('2026-11-23T00:00:00.000Z')).progress).toMatchObject({
      daysElapsed: 3,
      daysDone: 2,
      isOver: true,
    });
  });
});

describe("A template's challenges", () => {
  it('each count the days from that on which they began', async () => {
    const { newUser, clock } = await world();
    clock.set('2026-11-21T08:00:00.000Z');
    const ana = await newUser();
    const daysDone = async () => {
      const { challenges } = await ana.query('{ challenges { nodes { progress { daysDone } } } }');
      return challenges.nodes.map(({ progress }: { progress: { daysDone: number } }) => progress.daysDone);
    };
    const { id } = await ana.hasAccepted(4);
    const tasks = [
      await ana.hasTask({ challenge_template_id: 4 }),
      await ana.hasTask({ challenge_template_id: 4 }),
    ];
    clock.set('2026-11-21T09:00:00.000Z');
    for (const task of tasks) await ana.completes(task);
    await ana.rest.put(`/api/user-challenges/${id}/abandon`);
    clock.set('2026-11-21T10:00:00.000Z');
    await ana.hasAccepted(4);
    expect(await daysDone()).toEqual([1, 1]);
    clock.set('2026-11-21T11:00:00.000Z');
    await ana.completes(tasks[0] as { id: number });
    expect(await daysDone()).toEqual([1, 1]);
    clock.set('2026-11-22T11:00:00.000Z');
    await ana.completes(tasks[1] as { id: number });
    expect(await daysDone()).toEqual([2, 2]);
  });
});

describe('A note', () => {
  it('is cleared by null', async () => {
    const { ana } = await worldOf('ana');
    const { id } = await ana.hasTask();
    const { completeTask } = await ana.query(
      `mutation { completeTask(taskId: ${id}, note: "Cold") { completion { id note } } }`,
    );
    expect(completeTask.completion.note).toBe('Cold');
    const clear = 'mutation ($id: ID!) { updateCompletionNote(id: $id, note: null) { completion { note } } }';
    const { updateCompletionNote } = await ana.query(clear, completeTask.completion);
    expect(updateCompletionNote.completion.note).toBeNull();
  });
});

describe('undoCompletion', () => {
  const undo = `mutation ($id: ID!) { undoCompletion(id: $id) {
    completionId task { completionCount lastCompletedAt } user { points currentStreak maxStreak streak { count longest doneToday } }
  } }`;

  it('takes back exactly what the completion awarded, and restores the streak from the days that remain', async () => {
    const { newUser, clock } = await world();
    clock.set('2026-11-20T12:00:00.000Z');
    const ana = await newUser();
    const swim = await ana.hasTask({ points: 2.5 });
    await ana.completes(swim);
    clock.set('2026-11-21T12:00:00.000Z');
    await ana.rest.put(`/api/tasks/${swim.id}`, { points: 100 });
    const { body } = await ana.completes(swim);
    expect(await ana.profile()).toMatchObject({ points: 102.5, current_streak: 2, max_streak: 2 });
    expect(await ana.query(undo, { id: String(body.id) })).toEqual({
      undoCompletion: {
        completionId: String(body.id),
        task: { completionCount: 1, lastCompletedAt: '2026-11-20T12:00:00.000Z' },
        user: {
          points: 2.5,
          currentStreak: 1,
          maxStreak: 1,
          streak: { count: 1, longest: 1, doneToday: false },
        },
      },
    });
  });
});
