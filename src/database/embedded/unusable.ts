/** The path of the folder as PGlite sees it. */
const MOUNTED_AT = '/pglite/data';

export const unusable = (folder: string, reason: string) =>
  `The database in ${folder} cannot be opened: ${reason.replaceAll(MOUNTED_AT, folder)}. Restore it from a backup, or move it away.`;
