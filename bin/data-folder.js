import { homedir } from 'node:os';
import path from 'node:path';

/** Where this platform wants the data of this account, or of the unit of systemd that this runs in. */
export function folderForData() {
  const { STATE_DIRECTORY, XDG_DATA_HOME = '', LOCALAPPDATA } = process.env;
  if (STATE_DIRECTORY) return path.join(STATE_DIRECTORY.split(':')[0], 'database');
  if (process.platform === 'win32')
    return path.join(LOCALAPPDATA || path.join(homedir(), 'AppData/Local'), 'Steady');
  if (process.getuid?.() === 0) return '/var/lib/steady/database';
  if (process.platform === 'darwin') return path.join(homedir(), 'Library/Application Support/Steady');
  return path.join(
    path.isAbsolute(XDG_DATA_HOME) ? XDG_DATA_HOME : path.join(homedir(), '.local/share'),
    'steady',
  );
}
