import { readFileSync } from 'node:fs';
import path from 'node:path';
import { stateOf } from './children.js';
import type { RestClient } from './world.js';

/** The number of the process of the embedded database that runs. */
export const postgresOf = (DATA_DIR: string): number =>
  Number.parseInt(readFileSync(path.join(DATA_DIR, 'postgresql', 'postmaster.pid'), 'utf8'), 10);

/** Not so of one that has ended, even where nobody has asked for its exit code. */
export const isAlive = (pid: number): boolean => /^[^Z]/.test(stateOf(pid));

export async function signUp(rest: RestClient, email = 'ana@example.com'): Promise<RestClient> {
  const ana = { name: 'Ana', email, password: 'secret1' };
  return rest.as((await rest.post('/api/auth/signup', ana)).body.token);
}
