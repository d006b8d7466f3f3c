import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { inOneProcess } from '../support/commands.js';
import { startService, temporaryFolder } from '../support/process.js';
import { withServer } from '../support/with-server.js';

const server = withServer();

const DATA_DIR = '/nowhere/at/all';
const folder = () => path.dirname(temporaryFolder());
const refused = (output: string) => ({ code: 1, output: `${output}\n` });

describe('steady users', () => {
  it('makes, lists and renews an account', async () => {
    const DATABASE_URL = await server.newDatabase();
    const lines = [
      ['create', 'ana@example.com', '--name', 'Ana'],
      ['create', 'ANA@example.com', '--name=Ana'],
      ['list', '--json'],
      ['sign-out', 'bob@example.com'],
      ['sign-out', 'Ana@example.com'],
      ['reset-password', 'Ana@example.com'],
      ['reset-link', 'Ana@example.com'],
    ];
    const called = lines.map((args) => ({ script: 'users', args }));
    const [made, again, listed, missing, out, renewed, linked] = await inOneProcess(called, {
      DATABASE_URL,
      DATA_DIR,
    });
    expect(made).toEqual({
      code: 0,
      output: expect.stringMatching(/^Made the account ana@example\.com with the password [\w-]{16}\n$/),
    });
    expect(again).toEqual(refused('Email already in use'));
    expect(JSON.parse(listed?.output ?? '')).toMatchObject([
      { email: 'ana@example.com', name: 'Ana', lastActiveOn: null },
    ]);
    expect(missing).toEqual(refused('There is no account with the e-mail address bob@example.com'));
    expect(out).toEqual({ code: 0, output: 'Ended all sessions of ana@example.com\n' });
    const [until, link = '', guess] = linked?.output.trim().split('\n') ?? [];
    expect(until).toMatch(
      /^Until \d{4}-\d\d-\d\d \d\d:\d\d UTC, ana@example\.com can choose a new password at$/,
    );
    expect(link).toMatch(/^http:\/\/localhost:3000\/#reset=[\w-]{43}$/);
    expect(guess).toBe(
      'http://localhost:3000 is a guess, and opens on this machine only: set PUBLIC_URL to the address that people open.',
    );
    const password = renewed?.output.trim().split(' ').at(-1);

    const service = startService({ DATABASE_URL, DATA_DIR: temporaryFolder(), SIGN_UP: 'closed' });
    const rest = await service.listening();
    const login = await rest.post('/api/auth/login', { email: 'ana@example.com', password });
    expect(login.status).toBe(200);
    expect(service.output).not.toContain(password);
  });

  it('refuses what it does not understand in a line', async () => {
    const allowed = 'Allowed: list create reset-link reset-password sign-out suspend resume delete';
    const lines: [args: string, line: string][] = [
      ['make', `Unknown argument 'make'. ${allowed}`],
      ['list all', "Unknown argument 'all'. Allowed: --filter --json"],
      ['delete a@b.example', 'This deletes the account for good: add --yes to mean it'],
      ['create --name=Ana', 'E-MAIL is missing'],
      ['create a@b.example', '--name is missing'],
      ['create nobody --name=Ana', 'Email must be an e-mail address'],
    ];
    const called = lines.map(([args]) => ({ script: 'users', args: args.split(' ') }));
    const nothing = { script: 'users', args: [] };
    expect(await inOneProcess([nothing, ...called], { DATA_DIR })).toEqual([
      refused(`Say what to do. ${allowed}`),
      ...lines.map(([, line]) => refused(line)),
    ]);
  });
});

it('steady templates names the place of each fault, and changes nothing', async () => {
  const DATABASE_URL = await server.newDatabase();
  const good = { title: 'Dry January', description: 'No drop.', durationDays: 31 };
  const wrong = [good, good, { ...good, title: ' ', durationDays: 0.5, days: 1 }, 7];
  const texts = [JSON.stringify(wrong), 'no JSON', JSON.stringify([good])];
  const files = texts.map((text, index) => {
    const file = path.join(folder(), `${index}.json`);
    writeFileSync(file, text);
    return file;
  });
  const called = files.map((file) => ({ script: 'templates', args: ['import', file] }));
  expect(await inOneProcess(called, { DATABASE_URL, DATA_DIR })).toEqual([
    refused(
      [
        '[1].title: is that of [0] too',
        '[2] has a field "days", but only title, description, durationDays are known',
        '[2].title: Title must not be blank',
        '[2].durationDays: Duration days must be a whole number of days from 1 to 3650',
        '[3] must be an object',
      ].join('\n'),
    ),
    refused(`${files[1]} is not JSON in UTF-8`),
    { code: 0, output: 'Challenge templates: 1 added, 0 changed, 0 as they were.\n' },
  ]);
});
