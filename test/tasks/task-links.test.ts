import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { holding, untilSomeoneWaits } from '../support/locks.js';
import { worldOf } from '../support/world.js';

async function swimmer() {
  const { ana, ...here } = await worldOf('ana');
  const { id } = await ana.hasTask({ title: 'Swim' });
  /** What it is linked to then, or why not. */
  const change = async (input: string) => {
    const fields = 'title challengeTemplate { id }';
    const update = `mutation { updateTask(id: ${id}, input: { ${input} }) { task { ${fields} } } }`;
    const { data, errors } = await ana.rest.ask(update);
    if (errors) return [errors[0].extensions.reason, errors[0].extensions.fields[0].name];
    const { title, challengeTemplate } = data.updateTask.task;
    return [title, challengeTemplate?.id ?? null];
  };
  return { ...here, ana, change };
}

const REFUSED = ['NO_ACTIVE_CHALLENGE', 'challengeTemplateId'];

describe('A task that exists', () => {
  it('joins an ACTIVE challenge, keeps the link when that has ended, and leaves it', async () => {
    const { ana, change } = await swimmer();
    expect(await change('challengeTemplateId: 2')).toEqual(REFUSED);
    const { id } = await ana.hasAccepted(2);
    expect(await change('challengeTemplateId: 2')).toEqual(['Swim', '2']);
    const { activeChallenge } = await ana.query('{ activeChallenge { tasks { totalCount } } }');
    expect(activeChallenge.tasks.totalCount).toBe(1);
    expect(await change('title: "Dive"')).toEqual(['Dive', '2']);
    expect(await change('challengeTemplateId: 3')).toEqual(REFUSED);
    await ana.rest.put(`/api/user-challenges/${id}/complete`);
    expect(await change('challengeTemplateId: 2, title: "Swim"')).toEqual(['Swim', '2']);
    expect(await change('challengeTemplateId: null')).toEqual(['Swim', null]);
    expect(await change('challengeTemplateId: 2')).toEqual(REFUSED);
  });

  it('is not linked to a challenge that ends meanwhile', async () => {
    const { ana, change, database } = await swimmer();
    const { id } = await ana.hasAccepted(2);
    const ended = sql`
      update user_challenges set status = 'ABANDONED' where id = ${id}::bigint and user_id = ${ana.id}`;
    const release = await holding(database, ended);
    const linking = change('challengeTemplateId: 2');
    await untilSomeoneWaits(database);
    await release();
    expect(await linking).toEqual(REFUSED);
  });
});
