import { expect, it } from 'vitest';
import { exported } from '../export-import/exported.js';
import { type TestUser, world } from '../support/world.js';

const COMPLETE = `mutation ($input: [CompletionInput!]!) {
  completeTasks(input: $input) { results { completion { id } error { message } } } }`;

it('A hundred people who send a large batch or a file at once are all served', async () => {
  const { newUser } = await world();
  const people: TestUser[] = [];
  while (people.length < 100)
    people.push(...(await Promise.all(Array.from({ length: 10 }, () => newUser()))));
  const [bringing, doing] = [people.slice(0, 20), people.slice(20)];
  const tasks = await Promise.all(doing.map((person) => person.hasTask()));
  const maker = await newUser();
  for (const title of ['Swim', 'Run']) await maker.hasTask({ title, description: 'd'.repeat(9_000) });
  const file = await exported(maker);
  const completes = ({ rest }: TestUser, at: number) => {
    const completion = { taskId: tasks[at]?.id, note: 'n'.repeat(1_000) };
    const input = Array.from({ length: 20 }, (_, key) => ({ ...completion, idempotencyKey: `${key}` }));
    return rest.post('/graphql', { query: COMPLETE, variables: { input } });
  };
  const sent = [...bringing.map(({ rest }) => rest.post('/account/import', file)), ...doing.map(completes)];
  const answers = await Promise.all(sent);
  expect(answers.map(({ status }) => status)).toEqual([...Array(20).fill(201), ...Array(80).fill(200)]);
  const results = answers.flatMap(({ body }) => body.data?.completeTasks.results ?? []);
  expect(results).toHaveLength(1_600);
  expect(results.filter(({ completion }) => !completion)).toEqual([]);
});
