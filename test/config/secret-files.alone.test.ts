import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/features/settings.js';
import { secretOf } from '../../src/operation/startup/instance.js';
import { run } from '../support/process.js';

const SECRET = 'a secret of the test, long enough';
const DATABASE = 'postgres://ana:hunter2@127.0.0.1:1/d';

function folder(): string {
  const made = fs.mkdtempSync(path.join(tmpdir(), 'steady-secrets-'));
  onTestFinished(() => fs.rmSync(made, { recursive: true, force: true }));
  return made;
}

function file(text: string, mode = 0o600): string {
  const name = path.join(folder(), 'secret');
  fs.writeFileSync(name, text);
  fs.chmodSync(name, mode);
  return name;
}

const production = (environment: Record<string, string>) =>
  readConfig({ NODE_ENV: 'production', DATABASE_URL: DATABASE, ...environment });

function faultOf(environment: Record<string, string>): string {
  try {
    secretOf(production(environment));
    return 'It starts.';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('A secret in a file', () => {
  it.each(['', '\n', '\r\n'])(
    'is the value of the variable, without one line break at its end: %j',
    (end) => {
      expect(secretOf(production({ JWT_SECRET_FILE: file(`${SECRET}${end}`) }))).toBe(SECRET);
      expect(readConfig({ DATABASE_URL_FILE: file(`${DATABASE}${end}`) }).databaseUrl).toBe(DATABASE);
      expect(production({ JWT_SECRET_FILE: file(`${SECRET} \n\n`) }).jwtSecret).toBe(`${SECRET} \n`);
    },
  );

  it('is refused beside the variable itself', () => {
    const both = { JWT_SECRET: SECRET, JWT_SECRET_FILE: file(SECRET) };
    expect(faultOf(both)).toBe('JWT_SECRET and JWT_SECRET_FILE are both set: take one of them away.');
  });

  it.each<[what: string, name: () => string, line: RegExp]>([
    ['is empty', () => file('\n'), /is empty: write the secret into it\.$/],
    ['is a folder', folder, /cannot be read \(it is no file\): name a file/],
    ['is below a file', () => `${file('x')}/below`, /cannot be read \(ENOTDIR\): name a file/],
    ['is too short for production', () => file('hunter2'), /JWT_SECRET is too short, but must be/],
    [
      'has no folder',
      () => `${folder()}/missing/secret`,
      /cannot be made: ENOENT.+ Let the service write there/,
    ],
  ])('stops the start with one line if the file %s', (_, name, line) => {
    const fault = faultOf({ JWT_SECRET_FILE: name() });
    expect(fault).toMatch(line);
    expect(fault).toMatch(/^[^\n]*JWT_SECRET[^\n]+$/);
    expect(fault).not.toContain('hunter2');
  });

  it('must be there, if it is the address of the database', () => {
    const missing = path.join(folder(), 'url');
    expect(() => readConfig({ DATABASE_URL_FILE: missing })).toThrow(
      `DATABASE_URL_FILE ${missing} cannot be read (ENOENT): name a file that this account may read.`,
    );
  });

  it('is reported if every account may read it', () => {
    const open = file(SECRET, 0o644);
    expect(production({ JWT_SECRET_FILE: open }).warnings).toEqual([
      `JWT_SECRET_FILE ${open} can be read by other accounts: take that from them (chmod 600).`,
    ]);
    expect(production({ JWT_SECRET_FILE: file(SECRET, 0o640) }).warnings).toEqual([]);
  });
});

describe('The secret that is missing', () => {
  it('is made at the first start, for this account alone, and stays', () => {
    const name = path.join(folder(), 'jwt-secret');
    const made = secretOf(production({ JWT_SECRET_FILE: name }));
    expect(made).toMatch(/^[\w-]{64}$/);
    expect(fs.statSync(name).mode & 0o777).toBe(0o600);
    expect(secretOf(production({ JWT_SECRET_FILE: name }))).toBe(made);
    expect(fs.readdirSync(path.dirname(name))).toEqual(['jwt-secret']);
  });

  it('is one, however many processes start at the same time in an empty folder', async () => {
    const here = folder();
    const script = path.join(here, 'make.mjs');
    const whole = path.resolve('src/base/files/whole-file.ts');
    // Each with the number 1 of a container: only what is random may keep their drafts apart.
    fs.writeFileSync(
      script,
      `Object.defineProperty(process, 'pid', { value: 1 });
       const { register } = await import('node:module');
       register('data:text/javascript,' + encodeURIComponent(\`export async function resolve(name, context, next) {
         try { return await next(name, context); } catch { return next(name.replace(/js$/, 'ts'), context); }
       }\`));
       const { madeOnce } = await import(${JSON.stringify(whole)});
       const { randomUUID } = await import('node:crypto');
       console.log(madeOnce(process.argv[2], () => randomUUID().repeat(2_000)));`,
    );
    fs.mkdirSync(path.join(here, 'data'));
    const target = path.join(here, 'data', 'secret');
    const found = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const process = run(path.relative('dist/src', script), {}, [target]);
        expect(await process.exited, process.output).toBe(0);
        return process.output.trim();
      }),
    );
    expect(new Set(found)).toEqual(new Set([fs.readFileSync(target, 'utf8')]));
    expect(fs.readdirSync(path.dirname(target))).toEqual(['secret']);
  });
});
