import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
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
  const send = async (
    url: string,
    init: { method: string; headers: Record<string, string>; body?: string },
  ) => {
    const headers = Object.fromEntries(
      Object.entries(init.headers).map(([name, value]) => [name, filled(value)]),
    );
    const answer = await fetch(filled(url), { ...init, headers });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  };
  return { ana, id: String(id), base, completing, send };
}

/** What a template such as `{{ value_json.data.me.id }}` shows. */
const shownBy = (template: string, name: string, value: unknown): unknown => {
  const [, path = ''] =
    new RegExp(`^=?\\{\\{ ${name.replace('$', '\\$')}\\.([\\w.]+) \\}\\}$`).exec(template) ?? [];
  expect(path).not.toBe('');
  return path.split('.').reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], value);
};

describe('Home Assistant', () => {
  it('has a button that completes', async () => {
    const { ana, send } = await house();
    type Command = Record<'url' | 'method' | 'content_type' | 'payload', string> & {
      headers: Record<string, string>;
    };
    const [[name, { url, method, headers, ...sent }]] = Object.entries(yaml.rest_command) as never as [
      [string, Command],
    ];
    expect(yaml.template[0].button[0].press[0].action).toBe(`rest_command.${name}`);
    const init = { method, headers: { ...headers, 'content-type': sent.content_type }, body: sent.payload };
    expect(await send(url, init)).toMatchObject({ status: 200, body: { counted: true } });
    expect(await ana.profile()).toMatchObject({ points: 10 });
    const done = await house();
    await done.ana.completes({ id: Number(done.id) });
    expect(await done.send(url, init)).toMatchObject({ status: 200, body: { counted: false } });
  });

  it('has sensors of what is left and of the streak', async () => {
    const { send } = await house();
    const [{ resource, method, headers, payload, sensor }] = yaml.rest;
    const { status, body } = await send(resource, { method, headers, body: payload });
    expect([status, body.errors]).toEqual([200, undefined]);
    const shown = sensor.map((each: { value_template: string }) =>
      shownBy(each.value_template, 'value_json', body),
    );
    expect(shown).toEqual([1, 0]);
  });

  it('listens to events that there are', () => {
    const [, type = ''] = /trigger\.json\.type == '([\w.]+)'/.exec(yaml.automation[0].conditions[0]) ?? [];
    const [, kinds = ''] =
      /^enum EventKind \{([\s\S]*?)^\}/m.exec(readFileSync('schema.graphql', 'utf8')) ?? [];
    expect(kinds.match(/\b[A-Z_]+\b/g)).toContain(type.toUpperCase().replace('.', '_'));
  });
});

describe('The workflow for n8n', () => {
  interface Node {
    name: string;
    type: string;
    parameters: Record<string, string>;
  }
  const workflow: { nodes: Node[]; connections: Record<string, { main: { node: string }[][] }> } = JSON.parse(
    readFileSync('examples/n8n/what-is-left.json', 'utf8'),
  );
  const nodes = new Map<string, Node>(workflow.nodes.map((node) => [node.name, node]));
  const parametersOf = (name: string): Record<string, string> => nodes.get(name)?.parameters ?? {};

  it('leads from one node that is there to the next', () => {
    const names = [...nodes.keys()];
    const reached = Object.entries(workflow.connections).flatMap(([from, { main }]) => {
      expect(names).toContain(from);
      return main.flat().map(({ node }) => node);
    });
    expect([names[0], ...reached].sort()).toEqual([...names].sort());
  });

  it('asks what is left', async () => {
    const { send } = await house();
    const { url = '', method = '', jsonBody = '' } = parametersOf('Ask Steady');
    const headers = { 'content-type': 'application/json', authorization: 'Bearer TOKEN' };
    const { body } = await send(url, { method, headers, body: JSON.stringify(JSON.parse(jsonBody)) });
    const conditions = parametersOf('Something is').conditions as never as {
      conditions: { leftValue: string }[];
    };
    expect(shownBy(conditions.conditions[0]?.leftValue ?? '', '$json', body)).toBe(1);
    const [, say = ''] = /^=\{\{ (.*) \}\}$/.exec(parametersOf('Say so').body ?? '') ?? [];
    expect(new Function('$json', `return ${say}`)(body)).toBe('Swim');
  });
});

describe('Shortcuts', () => {
  it('send what they say', async () => {
    const { ana, send } = await house();
    const answers: { status: number; body: { errors?: unknown } }[] = [];
    for (const block of blocks('json')) {
      const { URL: url, Method: method, Headers: headers, 'Request Body': given = {} } = JSON.parse(block);
      const form = given.Form && new URLSearchParams(given.Form).toString();
      const kind = given.Form ? 'application/x-www-form-urlencoded' : 'application/json';
      const body = form ?? (given.JSON && JSON.stringify(given.JSON));
      answers.push(
        await send(url, { method, headers: { ...headers, 'content-type': kind }, ...(body && { body }) }),
      );
    }
    expect(answers).toHaveLength(3);
    expect(answers.map(({ status, body }) => [status, body.errors])).toEqual(Array(3).fill([200, undefined]));
    expect(await ana.profile()).toMatchObject({ points: 10 }); // the second came within the minute of the first
  });
});

describe('The shell script', () => {
  it('completes, once a day, and says when it is refused', async () => {
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
});
