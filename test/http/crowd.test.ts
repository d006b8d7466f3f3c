import { expect, it } from 'vitest';
import { rawConnection } from '../support/raw.js';
import { world } from '../support/world.js';

const PEOPLE = 100;

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
