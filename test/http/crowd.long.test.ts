import { expect, it } from 'vitest';
import { exported } from '../export-import/exported.js';
import { rawConnection } from '../support/raw.js';
import { type TestUser, world } from '../support/world.js';

const PEOPLE = 100;

const NOTE = 'n'.repeat(1_000);

const COMPLETE = `mutation ($input: [CompletionInput!]!) {
  completeTasks(input: $input) { results { completion { id } error { message } } } }`;

const batchOf = (task: { id: number }) => ({
  input: Array.from({ length: 20 }, (_, number) => ({
    taskId: task.id,
    idempotencyKey: `${number}`,
    note: NOTE,
  })),
});

it('A hundred people behind one address who open the page and tap at once are all answered', async () => {
  const { base, newUser } = await world();
  const html = await (await fetch(`${base}/`)).text();
  const files = [...html.matchAll(/(?:href|src)="(\/page\/[^"]+)"/g)].map(([, file]) => file ?? '');
  expect(files.length).toBeGreaterThan(3);
  const people = [];
  while (people.length < PEOPLE)
    people.push(...(await Promise.all(Array.from({ length: 10 }, () => newUser()))));
  const tasks = await Promise.all(people.map((person) => person.hasTask()));
  const opens = async () => {
    const loading = ['/', '/service-worker.js', ...files].map(async (path) => {
      const connection = await rawConnection({ base });
      connection.send(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      return /^HTTP\/1\.1 (\d+)/.exec(await connection.all())?.[1];
    });
    return Promise.all(loading);
  };
  const [opened, tapped] = await Promise.all([
    Promise.all(people.map(opens)),
    Promise.all(people.map(async (person, at) => (await person.completes(tasks[at] ?? { id: 0 })).status)),
  ]);
  expect(new Set(opened.flat())).toEqual(new Set(['200']));
  expect(new Set(tapped)).toEqual(new Set([201]));
});

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
  const sent = [
    ...bringing.map(({ rest }) => rest.post('/account/import', file)),
    ...doing.map(({ rest }, at) =>
      rest.post('/graphql', { query: COMPLETE, variables: batchOf(tasks[at] ?? { id: 0 }) }),
    ),
  ];
  const answers = await Promise.all(sent);
  expect(answers.map(({ status }) => status)).toEqual([...Array(20).fill(201), ...Array(80).fill(200)]);
  const results = answers.flatMap(({ body }) => body.data?.completeTasks.results ?? []);
  expect(results).toHaveLength(1_600);
  expect(results.filter(({ completion }) => !completion)).toEqual([]);
});
