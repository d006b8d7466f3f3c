import { ConfigError } from '../../base/config.js';
import { DataDirectoryError } from '../../base/files/data-directory.js';
import { DistributionError } from '../../database/distributed/distribute.js';
import { NoPostgresError } from '../../database/embedded/binaries.js';
import { OtherReleaseError } from '../../database/migrations.js';
import { GIVES_NO_SESSION, HAS_NO_TLS, isTooLate, refusalOf, ServerError } from '../../database/outcome.js';
import { withoutData } from '../../telemetry/log.js';

/** The service cannot listen. Its causes have the same codes as those of an unreachable database. */
export class ListenError extends Error {
  constructor(
    cause: Error,
    /** The settings that say where. */
    readonly settings: { host: string; port: string },
  ) {
    super(cause.message, { cause });
  }
}

/** Explains why the start failed: one line for a known cause, a stack for any other. */
export function explainStartError(error: unknown): string {
  const { message, fix } = explained(error) ?? { message: withoutData(error).stack ?? String(error) };
  return fix ? `${message}. ${fix}` : message;
}

/** What an operator is told of an error, and what to do about it; undefined where only a stack tells. */
export function explained(error: unknown): { message: string; fix?: string } | undefined {
  if (FOR_OPERATORS.some((kind) => error instanceof kind)) return { message: (error as Error).message };
  const { code = '' } = error as NodeJS.ErrnoException;
  const [message = ''] = (error as Error).message.split(/\n|; if the root CA is installed/); // the rest is a cure of Node's
  if (error instanceof ListenError) {
    const { code, message } = error.cause as NodeJS.ErrnoException;
    const { host, port } = error.settings;
    if (code === 'EADDRINUSE') {
      const fix = `Choose another with ${port}. If that is this Steady already, nothing is to be done.`;
      return { message: `The port is taken (${message})`, fix };
    }
    return { message: `Cannot listen there (${message})`, fix: `See ${host} and ${port}.` };
  }
  // Of an embedded one no setting says where it is.
  const database = error instanceof ServerError ? `The database of ${error.setting}` : 'The database';
  if (isTooLate(error)) return { message: `${database} ${late(message)}`, fix: WHEN_LATE };
  const [, inWords] = BY_WORDS.find(([words]) => words.test(message)) ?? [];
  const fix = inWords ?? CURES[code] ?? IN_GENERAL;
  if (NO_ROOM.test(code)) return { message: `Nothing can be written to the database: ${message}`, fix };
  if (error instanceof ServerError || inWords || refusalOf(error) || NO_ENTRY.test(code))
    return { message: `${database} cannot be used: ${message}`, fix };
  return undefined;
}

export const late = (how: string): string => `did not answer in time (${how})`;

export const WHEN_LATE =
  'Is its machine overloaded, or does another session hold a lock (pg_locks, pg_stat_activity)? Of a server: is its address right? Else ask again once it is quieter.';

/** Errors whose message is one line, or more for several settings. */
const FOR_OPERATORS = [
  ConfigError,
  DataDirectoryError,
  DistributionError,
  OtherReleaseError,
  NoPostgresError,
];

/** Wrong password or user, no such database, no permission. */
const NO_ENTRY = /^(28000|28P01|3D000|42501)$/;

/** A full disk, or a read-only session. */
const NO_ROOM = /^(53100|25006)$/;

const NOT_THERE = 'Is the server up, and are its name and port right?';
const LOG_IN =
  'Correct the user and the password in it, or make the role: createuser --pwprompt steady (docs/operate.md).';

const UNKNOWN_CA =
  'Name its certificate, or that of its CA: sslmode=verify-full&sslrootcert=FILE. Where nobody can stand in between, sslmode=require encrypts and does not ask who it is (docs/operate.md).';

/** Errors that say in these words alone what they are. */
const BY_WORDS: [RegExp, string][] = [
  [
    /too many connections for (role|database)/,
    'Raise its limit (alter role … connection limit, alter database … connection limit), or lower WORKERS.',
  ],
  [
    HAS_NO_TLS,
    'Turn TLS on there (ssl = on), or set sslmode=prefer or disable where nobody can listen in between (docs/operate.md).',
  ],
  [
    /relation "\w+" already exists/,
    'This database belongs to another program: make one for Steady (createdb --owner steady steady), and name it.',
  ],
  [
    GIVES_NO_SESSION,
    'It leads to a pooler in transaction mode: set DATABASE_DIRECT_URL to the server itself (docs/scaling.md).',
  ],
];

/** What an operator does about it, by the code of the error. */
const CURES: Record<string, string> = {
  ECONNREFUSED: NOT_THERE,
  ENOTFOUND: NOT_THERE,
  EAI_AGAIN: NOT_THERE,
  ENOENT: NOT_THERE,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_CA,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_CA,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_CA,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_CA,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_CA,
  CERT_HAS_EXPIRED: 'Renew the certificate of the server.',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'Use the name that its certificate has, or sslmode=verify-ca with sslrootcert, which does not compare names.',
  '28000': LOG_IN,
  '28P01': LOG_IN,
  '3D000': 'Create it (createdb --owner steady steady), or correct its name.',
  '42P01': 'Does DATABASE_URL lead to the database that DATABASE_DIRECT_URL leads to?',
  '42501': 'Grant the user what is missing, or make it the owner of the database.',
  '53100': 'Is its disk full?',
  '53300': 'Raise max_connections of the server, or lower WORKERS.',
  '40001':
    'A standby ends a read that is in the way of its replay: raise max_standby_streaming_delay there, or set hot_standby_feedback to on.',
  '25006': 'Is its disk full, or the server a standby? Then name the primary.',
};

const IN_GENERAL = 'Correct the address, or the server.';
