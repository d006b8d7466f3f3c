import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { dataDirectory, seed, temporaryFolder } from '../support/process.js';

it('npm run seed requires --yes in production, and makes users with it', async () => {
  const DATA_DIR = temporaryFolder();
  const production = { NODE_ENV: 'production', JWT_SECRET: randomUUID() };
  const refused = seed({ ...production, DATA_DIR }, ['--users=1']);
  expect(await refused.exited).toBe(1);
  expect(refused.output).toBe(
    'NODE_ENV is production, where made-up users are not wanted: add --yes to mean it\n',
  );
  expect(existsSync(DATA_DIR)).toBe(false);
  const made = seed({ ...production, DATA_DIR: dataDirectory() }, ['--users=1', '--yes']);
  expect([await made.exited, made.output]).toEqual([0, expect.stringMatching(/^Added 1 users/m)]);
});
