import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { run, temporaryFolder } from '../support/process.js';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));

/** The npm scripts that run something of src, each with that file. */
const commands = Object.entries<string>(scripts).flatMap(([name, line]) => {
  const file = /dist\/src\/(\S+)\.js/.exec(line)?.[1];
  return file ? [{ name, file }] : [];
});

const nowhere = () => ({
  DATA_DIR: temporaryFolder(),
  DATABASE_URL: 'postgres://postgres@127.0.0.1:1/steady',
  PORT: 'none',
});

describe('Every command', () => {
  it('is an npm script', () => {
    const files = globSync('src/commands/*.ts', { exclude: ['**/*.queries.ts'] }).map(
      (file) => `commands/${path.basename(file, '.ts')}`,
    );
    const shared = ['commands/arguments', 'commands/command', 'commands/generated', 'commands/report'];
    expect(commands.map(({ file }) => file).sort()).toEqual(
      [...files.filter((file) => !shared.includes(file)), 'main'].sort(),
    );
  });

  it.each(commands)(
    'says what it does when asked for --help, without a database: $name',
    async ({ name, file }) => {
      const environment = nowhere();
      for (const given of [['--no=idea', '--help']]) {
        const command = run(`${file}.js`, environment, given);
        expect(await command.exited).toBe(0);
        const call = name === 'start' ? 'npm start' : `npm run ${name}`;
        expect(command.output).toMatch(new RegExp(`^${call}( -- .+)?\n\n[A-Z][^]+[.a-z0-9]\n$`));
      }
      expect(existsSync(environment.DATA_DIR)).toBe(false);
    },
  );

  it.each(commands.filter(({ name }) => name !== 'start'))(
    'refuses an unknown argument, and does nothing: $name',
    async ({ file }) => {
      const environment = nowhere();
      for (const given of ['--fixx', '--now']) {
        const command = run(`${file}.js`, environment, [given]);
        expect(await command.exited, given).toBe(1);
        expect(command.output).toMatch(new RegExp(`^Unknown argument ${given}\\. Allowed: .+\\n$`));
      }
      expect(existsSync(environment.DATA_DIR)).toBe(false);
    },
  );
});
