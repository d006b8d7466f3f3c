import { describe, expect, it } from 'vitest';
import { configOf } from '../support/database.js';
import { type Answer, world } from '../support/world.js';

const APP = 'https://app.example.com';

const everything = ({ status, text, headers }: Answer) => ({
  status,
  text,
  headers: Object.fromEntries([...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id')),
});

/** `?` is enough for Express. */
const ways = (path: string) => [path, `${path}?`];

describe('A request that needs no router is answered as by Express', () => {
  it.each([
    ['GET', '/api/user/profile', undefined],
    ['GET', '/api/tasks/me', undefined],
    ['POST', '/api/tasks', { title: 5 }],
    ['POST', '/api/tasks', '{'],
    ['PUT', '/api/user/profile', {}],
    ['DELETE', '/api/user/profile', undefined],
    ['POST', '/graphql', { query: '{ me { name } tasks { nodes { title } } }' }],
    ['POST', '/graphql', { query: '{ nothing }' }],
    ['POST', '/graphql', '{'],
    ['POST', '/graphql', ''],
  ])('%s %s with %j', async (method, path, body) => {
    const { newUser } = await world({ config: configOf({ CORS_ORIGINS: APP }) });
    const { rest } = await newUser();
    const variations: Record<string, string>[] = [
      {},
      { origin: APP },
      { authorization: 'Bearer wrong' },
      { accept: '*/*' },
    ];
    for (const headers of variations) {
      const answers = [];
      for (const each of [...ways(path), ...ways(path)]) {
        answers.push(everything(await rest.send(method, each, body, headers)));
      }
      for (const answer of answers) expect(answer).toEqual(answers[1]);
    }
  });
});
