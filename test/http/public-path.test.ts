import { describe, expect, it } from 'vitest';
import { configOf } from '../support/database.js';
import { firstOf, socketOf } from '../support/live.js';
import { refusal, world } from '../support/world.js';

const PATH = '/my/habits';
const below = () => world({ config: configOf({ PUBLIC_URL: `https://a.example${PATH}` }) });

/** What a page loads from its own server. */
const filesIn = (html: string) =>
  [...html.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(([, file]) => file as string);

describe('With a path in PUBLIC_URL', () => {
  it('both APIs answer below it, and to a proxy that takes it away', async () => {
    const { newUser } = await below();
    const { rest } = await newUser();
    for (const path of ['', PATH]) {
      expect(await rest.get(`${path}/api/user/profile`)).toMatchObject({ status: 200 });
      expect(await rest.get(`${path}/api/tasks/me?x=1`)).toMatchObject({ status: 200, body: [] });
      const asked = await rest.post(`${path}/graphql`, { query: '{ me { currentStreak } }' });
      expect(asked.body).toEqual({ data: { me: { currentStreak: 0 } } });
      expect(await rest.get(`${path}/health/live`)).toMatchObject({ status: 200 });
    }
  });

  it('what only looks alike is not found', async () => {
    const { newUser } = await below();
    const { rest } = await newUser();
    for (const path of [`${PATH}s/api/tasks/me`, '/my/api/tasks/me', `${PATH}${PATH}/api/tasks/me`])
      expect(await rest.get(path)).toEqual(refusal(404, 'Not found'));
  });

  it.each(['/graphql', '/api/docs', '', '/'])(
    'the page %s finds its files, and every one below it',
    async (page) => {
      const { rest } = await below();
      const { text, status } = await rest.get(PATH + page, { accept: 'text/html' });
      expect(status).toBe(200);
      const files = filesIn(text);
      expect(files.length).toBeGreaterThan(1);
      for (const file of files) {
        expect(file.startsWith(`${PATH}/`), file).toBe(true);
        expect((await rest.get(file)).status, file).toBe(200);
      }
    },
  );

  it('the API document names the address below it, and its page reads the document there', async () => {
    const { rest } = await below();
    const { body } = await rest.get(`${PATH}/api/openapi.json`);
    expect(body.servers).toEqual([{ url: `${PATH}/api` }]);
    expect((await rest.get(`${PATH}/api/account/export`)).status).toBe(401);
    expect((await rest.get(`${PATH}/api/docs/start.js`)).text).toContain(`'${PATH}/api/openapi.json'`);
  });

  it('live updates come below it', async () => {
    const { newUser } = await below();
    const { rest } = await newUser();
    const socket = socketOf({ base: rest.base + PATH, token: rest.token ?? '' });
    const answer = await firstOf(socket, '{ me { currentStreak } }');
    expect(answer).toEqual({ data: { me: { currentStreak: 0 } } });
  });
});
