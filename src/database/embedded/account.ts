// The benchmarks run this file as it is, so it imports nothing of ours.
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** As whom a program runs: as this process without one. */
export interface Account {
  uid: number;
  gid: number;
}

const isRoot = process.getuid?.() === 0;

/** Numbers that distributions give to nobody, and that containers with 65,536 of them have. */
const FIRST = 61_184;
const LAST = 65_519;

export const isOwn = (uid: number): boolean => uid >= FIRST && uid <= LAST;

/** PostgreSQL refuses to run as root, which gives it a number that nobody else on this machine has. */
export function ownAccount(present?: number): Account | undefined {
  if (!isRoot) return undefined;
  const taken = takenNumbers();
  let uid = present ?? 0;
  while (!isOwn(uid) || taken.has(uid)) uid = randomInt(FIRST, LAST + 1);
  return { uid, gid: uid };
}

/**
 * `initdb` insists on an account that has a name. From root it gets one as which nothing runs; what it has made is given
 * to PostgreSQL's own afterwards.
 */
export function namedAccount(): Account | undefined {
  if (!isRoot) return undefined;
  const running = runningNumbers();
  const named = entriesOf('/etc/passwd').filter(({ id, gid }) => id > 0 && gid > 0 && !running.has(id));
  const chosen = named.find(({ name }) => name === 'nobody') ?? named[0];
  return chosen ? { uid: chosen.id, gid: chosen.gid } : { uid: NOBODY, gid: NOBODY };
}

const NOBODY = 65_534;

const takenNumbers = () =>
  new Set([...runningNumbers(), ...['/etc/passwd', '/etc/group'].flatMap(entriesOf).map(({ id }) => id)]);

/** The accounts of all processes, real and effective. One that has ended, and waits to be noticed, can do nothing more. */
function runningNumbers(): Set<number> {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const states = processes.map((pid) => textOf(`/proc/${pid}/status`));
  const running = states.filter((state) => !/^State:\s*Z/m.test(state));
  return new Set(
    running.flatMap((state) => {
      const [, ids = ''] = /^Uid:\s*(.+)$/m.exec(state) ?? [];
      return ids.split(/\s+/).map(Number);
    }),
  );
}

/** Of accounts or groups; only accounts have the number of a group. */
function entriesOf(file: string): { name: string; id: number; gid: number }[] {
  return textOf(file)
    .split('\n')
    .map((line) => line.split(':'))
    .flatMap(([name = '', , id = '', gid]) =>
      /^\d+$/.test(id) ? [{ name, id: Number(id), gid: Number(gid) }] : [],
    );
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // it has ended, or is not there
  }
}
