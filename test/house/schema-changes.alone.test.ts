import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { breaksBetween } from '../../scripts/schema-changes.js';

const before = `
  type Query { me: User! days(first: Int): [Day!]! }
  type User { id: ID! name: String! picture: String @deprecated(reason: "Use portrait.") }
  type Day { state: State! }
  enum State { OPEN KEPT OLD @deprecated(reason: "Is KEPT.") }
`;

describe('The schema only grows', () => {
  it.each([
    ['a field was removed', 'name: String! ', '', ['User.name was removed.']],
    ['null came where there was none', 'id: ID!', 'id: ID', ['User.id changed type from ID! to ID.']],
    ['what was deprecated is gone', ' picture: String @deprecated(reason: "Use portrait.")', '', []],
    ['a deprecated value is gone', ' OLD @deprecated(reason: "Is KEPT.")', '', []],
    ['an input was widened', 'first: Int', 'first: Int, last: Int', []],
  ])('so it is a fault that %s, or none', (_what, part, instead, breaks) => {
    expect(before).toContain(part);
    expect(breaksBetween(before, before.replace(part, instead))).toEqual(breaks);
  });

  it('since the last tag: `npm run check` says which field is missing', () => {
    const cwd = mkdtempSync(path.join(tmpdir(), 'steady-schema-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd });
    const file = path.join(cwd, 'schema.graphql');
    cpSync('scripts', path.join(cwd, 'scripts'), { recursive: true });
    cpSync('package.json', path.join(cwd, 'package.json'));
    symlinkSync(path.resolve('node_modules'), path.join(cwd, 'node_modules'));
    const now = readFileSync('schema.graphql', 'utf8');
    writeFileSync(file, now.replace('type User {', 'type User {\n  nickname: String\n'));
    const check = () =>
      execFileSync(process.execPath, ['scripts/schema-changes.ts'], { cwd, stdio: 'pipe', encoding: 'utf8' });
    git('init', '-q');
    git('add', 'schema.graphql');
    git('commit', '-qm', 'First');
    writeFileSync(file, now);
    expect(check()).toBe(''); // nothing is released
    git('tag', '-a', 'v1.0.0', '-m', 'First');
    expect(check).toThrow(/schema\.graphql breaks clients of v1\.0\.0: User\.nickname was removed\./);
  });
});
