import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { holding, untilSomeoneWaits } from '../support/locks.js';
import { worldOf } from '../support/world.js';

const LINK = `mutation ($id: ID!, $input: UpdateTaskInput!) {
  updateTask(id: $id, input: $input) { task { title challengeTemplate { id } } }
}`;

async function swimmer() {
  const { ana, ...here } = await worldOf('ana');
  const { id } = await ana.hasTask({ title: 'Swim' });
  const change = async (input: object) => await ana.rest.ask(LINK, { id, input });
  return { ...here, ana, id, change };
}

const linkedTo = (template: string | null, title = 'Swim') => ({
  data: { updateTask: { task: { title, challengeTemplate: template === null ? null : { id: template } } } },
});

const REFUSED = {
  errors: [
    {
      message: "You don't have an active challenge for this template",
      extensions: { reason: 'NO_ACTIVE_CHALLENGE', fields: [{ name: 'challengeTemplateId' }] },
    },
  ],
};

describe('A task that exists', () => {
  it('joins an ACTIVE challenge, keeps the link when that has ended, and leaves it', async () => {
    const { ana, id, change } = await swimmer();
    await ana.completes({ id });
    expect(await change({ challengeTemplateId: '2' })).toMatchObject(REFUSED);
    const challenge = await ana.hasAccepted(2);
    expect(await change({ challengeTemplateId: '2' })).toEqual(linkedTo('2'));
    const progress = '{ activeChallenge { tasks { totalCount } progress { isTracked daysDone } } }';
    expect((await ana.query(progress)).activeChallenge).toMatchObject({
      tasks: { totalCount: 1 },
      progress: { isTracked: true },
    });
    expect(await change({ title: 'Dive' })).toEqual(linkedTo('2', 'Dive'));
    expect(await change({ challengeTemplateId: '3' })).toMatchObject(REFUSED);
    await ana.rest.put(`/api/user-challenges/${challenge.id}/complete`);
    expect(await change({ challengeTemplateId: '2', title: 'Swim' })).toEqual(linkedTo('2'));
    expect(await change({ challengeTemplateId: null })).toEqual(linkedTo(null));
    expect(await change({ challengeTemplateId: '2' })).toMatchObject(REFUSED);
  });

  it('is not linked to a challenge that ends meanwhile', async () => {
    const { ana, change, database } = await swimmer();
    const challenge = await ana.hasAccepted(2);
    const ended = sql`
      update user_challenges set status = 'ABANDONED' where id = ${challenge.id}::bigint and user_id = ${ana.id}`;
    const release = await holding(database, ended);
    const linking = change({ challengeTemplateId: '2' });
    await untilSomeoneWaits(database);
    await release();
    expect(await linking).toMatchObject(REFUSED);
  });
});
