import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { world } from '../support/world.js';

const text = readFileSync('docs/recipes.md', 'utf8');

const blocks = (language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, code = '']) => code,
  );

const yaml = Object.assign({}, ...blocks('yaml').map((code) => parse(code)));

/** The service with a habit, for which there are a link and tokens, and everything that the recipes leave open. */
async function house() {
  const { base, newUser } = await world();
  const ana = await newUser();
  const { id } = await ana.hasTask();
  const { createCheckInLink } = await ana.query(
    `mutation { createCheckInLink(taskId: "${id}", name: "Desk") { url } }`,
  );
  const token = async (scope: string) =>
    (await ana.query(`mutation { createApiToken(input: { name: "x", scopes: [${scope}] }) { token } }`))
      .createApiToken.token;
  const link = new URL(createCheckInLink.url).pathname;
  const [reading, completing] = [await token('READ'), await token('COMPLETIONS')];
  const filled = (given: string) =>
    given
      .replace('/check-in/SECRET', link)
      .replace('https://habits.example.com', base)
      .replace('TOKEN', reading);
  const send = async (url: string, init: { method: string; headers: object; body?: string }) => {
    const headers = JSON.parse(filled(JSON.stringify(init.headers)));
    const answer = await fetch(filled(url), { ...init, headers });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  };
  return { ana, id: String(id), base, completing, send };
}

it('Home Assistant has a button that completes', async () => {
  const { ana, send } = await house();
  const [[name, command] = expect.unreachable()] = Object.entries<Record<string, never>>(yaml.rest_command);
  const { url = '', method = '', headers, content_type: type, payload } = command;
  expect(yaml.template[0].button[0].press[0].action).toBe(`rest_command.${name}`);
  const init = { method, headers: { ...Object(headers), 'content-type': type }, body: payload };
  expect(await send(url, init)).toMatchObject({ status: 200, body: { counted: true } });
  expect(await ana.profile()).toMatchObject({ points: 10 });
});

it('Shortcuts send what they say', async () => {
  const { ana, send } = await house();
  for (const block of blocks('json')) {
    const { URL: url, Method: method, Headers: headers, 'Request Body': given = {} } = JSON.parse(block);
    const form = given.Form && new URLSearchParams(given.Form).toString();
    const kind = given.Form ? 'application/x-www-form-urlencoded' : 'application/json';
    const body = form ?? (given.JSON && JSON.stringify(given.JSON));
    const sent = { method, headers: { ...headers, 'content-type': kind }, ...(body && { body }) };
    const answer = await send(url, sent);
    expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
  }
  expect(blocks('json')).toHaveLength(3);
  expect(await ana.profile()).toMatchObject({ points: 10 }); // the second came within the minute of the first
});

it('The shell script completes, once a day, and says when it is refused', async () => {
  const { ana, id, base, completing } = await house();
  const [script = ''] = blocks('sh');
  const env = { PATH: process.env.PATH, STEADY_URL: base, STEADY_TOKEN: completing };
  const run = (habit: string) =>
    new Promise<{ code: unknown; answer: unknown }>((resolve) =>
      execFile('sh', ['-c', script, 'habit.sh', habit], { env }, (error, stdout) =>
        resolve({ code: error ? error.code : 0, answer: JSON.parse(stdout) }),
      ),
    );
  for (const isReplayed of [false, true])
    expect(await run(id)).toMatchObject({ code: 0, answer: { data: { completeTask: { isReplayed } } } });
  expect(await run('999999')).toMatchObject({ code: 1, answer: { errors: [{}] } });
  expect(await ana.profile()).toMatchObject({ points: 10 });
});
