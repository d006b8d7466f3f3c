import { readFileSync } from 'node:fs';
import { type DataDirectory, newSecret } from '../../files/data-directory.js';
import { madeOnce } from '../../files/whole-file.js';

/** There is no closed socket there: whoever knows the password may come in. */
export const IS_WINDOWS = process.platform === 'win32';

/** PostgreSQL needs to know nothing of the service, least of all its secrets. Windows runs nothing with so little. */
export const environment: NodeJS.ProcessEnv | undefined = IS_WINDOWS
  ? undefined
  : { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' };

export const passwordFile = (directory: DataDirectory): string => {
  const file = directory.file('postgresql-password');
  madeOnce(file, newSecret);
  return file;
};

export const passwordIn = (directory: DataDirectory): string =>
  IS_WINDOWS ? readFileSync(passwordFile(directory), 'utf8') : '';
