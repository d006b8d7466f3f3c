import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import { problemInUrl } from '../../src/base/config/database-url.js';
import { openServer, unhurried } from '../../src/database/server/open.js';
import { explainStartError } from '../../src/operation/startup/start-errors.js';
import { identity, type PostgresServer, startPostgres } from '../support/server.js';

/** A certificate that its owner has signed, for this machine, and one for another name. */
function certificateFor(name: string): { cert: string; key: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-tls-'));
  const [cert, key] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=steady', '-addext', `subjectAltName=${name}`];
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert];
  execFileSync('openssl', [...made, ...subject], { stdio: 'ignore' });
  const { uid, gid } = identity;
  if (uid !== undefined && gid !== undefined)
    for (const file of [folder, ...readdirSync(folder).map((each) => path.join(folder, each))])
      chownSync(file, uid, gid);
  chmodSync(folder, 0o755);
  chmodSync(cert, 0o644);
  return { cert, key };
}

/** Whether the connection of a service that is opened so is encrypted; else the line that a start ends with. */
async function foundWith(server: PostgresServer, query: string): Promise<boolean | string> {
  const url = `${server.url('postgres')}${query}`;
  try {
    const database = await openServer(model, { url, poolSize: 1, patience: unhurried, migrates: false });
    onTestFinished(() => database.close());
    const { rows } = await sql<{ ssl: boolean }>`
      select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(database.query());
    return rows[0]?.ssl ?? false;
  } catch (error) {
    return explainStartError(error);
  }
}

describe('sslmode means what it means to psql', () => {
  const own = certificateFor('IP:127.0.0.1');
  const another = certificateFor('DNS:elsewhere.example');
  const servers = {} as Record<'plain' | 'encrypted' | 'misnamed', PostgresServer>;

  beforeAll(async () => {
    const withTls = ({ cert, key }: typeof own) => ({ ssl: 'on', ssl_cert_file: cert, ssl_key_file: key });
    servers.plain = await startPostgres();
    servers.encrypted = await startPostgres(withTls(own));
    servers.misnamed = await startPostgres(withTls(another));
    return async () => {
      for (const server of Object.values(servers)) await server.stop();
    };
  });

  const stranger = /self-signed certificate\. Name its certificate, .*sslrootcert=FILE\. .*sslmode=require/;
  const wrongName = /does not match .*\. Use the name that its certificate has, or sslmode=verify-ca/;
  const noTls = /does not support SSL connections\. Turn TLS on there \(ssl = on\), or set sslmode=prefer/;

  it.each<[string, keyof typeof servers, boolean | RegExp]>([
    ['', 'encrypted', false],
    ['?sslmode=prefer', 'encrypted', true],
    ['?sslmode=prefer', 'plain', false],
    ['?sslmode=require', 'encrypted', true],
    ['?sslmode=require', 'plain', noTls],
    [`?sslmode=require&sslrootcert=${own.cert}`, 'misnamed', stranger],
    [`?sslmode=verify-ca&sslrootcert=${another.cert}`, 'misnamed', true],
    [`?sslmode=verify-ca&sslrootcert=${own.cert}`, 'misnamed', stranger],
    ['?sslmode=verify-full', 'encrypted', stranger],
    [`?sslmode=verify-full&sslrootcert=${own.cert}`, 'encrypted', true],
    [`?sslmode=verify-full&sslrootcert=${another.cert}`, 'misnamed', wrongName],
  ])('%s at a server that is %s', async (query, which, expected) => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const found = await foundWith(servers[which], query);
    if (expected instanceof RegExp) expect(found).toMatch(expected);
    else expect(found).toBe(expected);
    expect(String(found).split('\n')).toHaveLength(1);
    expect(warnings).toEqual([]); // Node would write them to stderr
  });

  it('verify-ca needs to be told the CA', () => {
    expect(problemInUrl('postgres://u@h/d?sslmode=verify-ca')).toContain('add sslrootcert');
  });
});
