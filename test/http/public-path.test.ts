import { describe, expect, it } from 'vitest';
import { configOf } from '../support/database.js';
import { firstOf, socketOf } from '../support/live.js';
import { refusal, world } from '../support/world.js';

const PATH = '/my/habits';
const below = () => world({ config: configOf({ PUBLIC_URL: `https://a.example${PATH}` }) });

describe('With a path in PUBLIC_URL', () => {
  it('both APIs answer below it, and to a proxy that takes it away; what only looks alike is not found', async () => {
    const { rest } = await (await below()).newUser();
    const token = rest.token ?? '';
    const query = '{ me { currentStreak } }';
    const data = { me: { currentStreak: 0 } };
    for (const path of ['', PATH]) {
      expect(await rest.get(`${path}/api/user/profile`)).toMatchObject({ status: 200 });
      expect(await rest.get(`${path}/api/tasks/me?x=1`)).toMatchObject({ status: 200, body: [] });
      expect((await rest.post(`${path}/graphql`, { query })).body).toEqual({ data });
      expect(await rest.get(`${path}/health/live`)).toMatchObject({ status: 200 });
      expect(await rest.as('').get(`${path}/api/account/export`)).toMatchObject({ status: 401 });
      expect(await firstOf(socketOf({ base: rest.base + path, token }), query)).toEqual({ data });
    }
    for (const path of [`${PATH}s/api/tasks/me`, '/my/api/tasks/me', `${PATH}${PATH}/api/tasks/me`])
      expect(await rest.get(path)).toEqual(refusal(404, 'Not found'));
  });

  it('pages find their files, and every one below it, and the API document names the address', async () => {
    const { rest } = await below();
    for (const page of ['/graphql', '/api/docs', '', '/']) {
      const { text, status } = await rest.get(PATH + page, { accept: 'text/html' });
      expect(status).toBe(200);
      const files = [...text.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(([, file]) => file as string);
      expect(files.length).toBeGreaterThan(1);
      for (const file of files) {
        expect(file.startsWith(`${PATH}/`), file).toBe(true);
        expect((await rest.get(file)).status, file).toBe(200);
      }
    }
    const { body } = await rest.get(`${PATH}/api/openapi.json`);
    expect(body.servers).toEqual([{ url: `${PATH}/api` }]);
    expect((await rest.get(`${PATH}/api/docs/start.js`)).text).toContain(`'${PATH}/api/openapi.json'`);
  });
});
