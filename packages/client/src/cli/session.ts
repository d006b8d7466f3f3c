import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

/** Who is logged in, and where. */
export interface KeptSession {
  url: string;
  token: string;
  userId: string;
}

const { STEADY_HOME, XDG_CONFIG_HOME } = process.env;

export const home = STEADY_HOME ?? path.join(XDG_CONFIG_HOME ?? path.join(homedir(), '.config'), 'steady');

const file = path.join(home, 'session.json');

/** A file that was opened to others is closed again. */
export async function readSession(): Promise<KeptSession | null> {
  try {
    const session: KeptSession = JSON.parse(await readFile(file, 'utf8'));
    await chmod(file, 0o600);
    return session;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Never open to others, not for a moment. */
export async function keepSession(session: KeptSession): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  await rm(draft, { force: true });
  await writeFile(draft, `${JSON.stringify(session)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(draft, file);
}
