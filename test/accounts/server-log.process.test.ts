import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import { Passwords } from '../../src/base/passwords/passwords.js';
import { openServer } from '../../src/database/server/open.js';
import { AdministrationService } from '../../src/features/account/administration.service.js';
import { printedResetLink } from '../../src/features/sign-in/reset-link.js';
import { configOf } from '../support/database.js';
import { DOCUMENTS } from '../support/mail.js';
import { clusterHome, startPostgres } from '../support/server.js';
import { world } from '../support/world.js';

const { patience } = configOf().timeouts;

/** A story with every secret of accounts, and all of those: nobody who keeps the logs of a server may read them. */
async function everySecret(url: string): Promise<string[]> {
  const database = await openServer(model, { url, poolSize: 5, patience });
  onTestFinished(() => database.close());
  const here = await world({ database });
  const { rest, clock } = here;
  const [email, other, made, moved] = [newEmail('Ana'), newEmail('Ben'), newEmail('Cem'), newEmail('Moved')];
  const passwords = ['secret of Ana', 'another one of Ana', 'a third of Ana'];
  const [first = '', second = '', third = ''] = passwords;
  const ana = await here.newUser({ email, password: first });
  await here.newUser({ email: other, password: 'secret of Ben' });
  const hashes: string[] = [];
  const noteHashes = async () => {
    const query = sql<{ hash: string }>`select password_hash as hash from users`;
    hashes.push(...(await query.execute(database.query())).rows.map(({ hash }) => hash));
  };
  await noteHashes();
  const taken = await rest.post('/api/auth/signup', {
    name: 'A',
    email: email.toUpperCase(),
    password: first,
  });
  expect(taken.body).toEqual({ error: 'Email already in use' });
  const changes = async (change: string, input: object) =>
    (
      await ana.rest.ask(
        `mutation ($input: ${change[0]?.toUpperCase()}${change.slice(1)}Input!) {
      ${change}(input: $input) { user { email } } }`,
        { input },
      )
    ).errors?.[0].extensions.reason;
  expect(await changes('changeEmail', { currentPassword: first, newEmail: other })).toBe('EMAIL_TAKEN');
  const wrong = { currentPassword: third, newPassword: second };
  expect(await changes('changePassword', wrong)).toBe('INVALID_CREDENTIALS');
  expect(await changes('changePassword', { ...wrong, currentPassword: first })).toBeUndefined();
  expect(await changes('changeEmail', { currentPassword: second, newEmail: moved })).toBeUndefined();
  await noteHashes();
  const given = { email: moved.toLowerCase(), publicUrl: here.base };
  const { link } = await printedResetLink(database, clock, given);
  const token = link.split('=')[1] ?? '';
  await rest.ask(DOCUMENTS.resetPassword, { token, newPassword: third });
  const { body } = await rest.post('/api/auth/login', { email: moved, password: third });
  const { data } = await rest
    .as(body.token)
    .ask('mutation { createApiToken(input: { name: "A script", scopes: [READ] }) { token } }');
  const quick = new Passwords({ hashThreads: 1, hashCost: 4 });
  onTestFinished(() => quick.close());
  const administration = new AdministrationService(database, clock, quick);
  const printed = await administration.create({ email: made, name: 'Cem' });
  await expect(administration.create({ email: made, name: 'Cem' })).rejects.toThrow('already in use');
  await noteHashes();
  const digest = sql<{ hash: string }>`select hash from api_tokens`;
  const [{ hash } = { hash: '' }] = (await digest.execute(database.query())).rows;
  const secrets = [email, other, made, moved, ...passwords, ...hashes, token, body.token, printed];
  const all = [...secrets, data.createApiToken.token, hash];
  expect(all.every((each) => typeof each === 'string' && each.length > 8)).toBe(true);
  return all;
}

const newEmail = (name: string) => `${name}-${randomUUID()}@example.com`;

describe('The log of a PostgreSQL server that logs the text of every statement', () => {
  const home = clusterHome();
  const log = () => {
    const files = readdirSync(home).map((name) => readFileSync(path.join(home, name), 'utf8'));
    return files.join('');
  };
  let url = '';
  beforeAll(async () => {
    const server = await startPostgres({
      ...{ log_statement: 'all', log_parameter_max_length: '0' }, // but no values, which nobody can keep from it
      ...{ logging_collector: 'on', log_directory: home },
    });
    await server.execute('create database own');
    url = server.url('own');
    return server.stop;
  });

  it('has no e-mail address, password, hash or token, whatever people do with their accounts', async () => {
    const secrets = await everySecret(url);
    const written = log().toLowerCase();
    expect(written).toContain('insert into users');
    expect(secrets.filter((each) => written.includes(each.toLowerCase()))).toEqual([]);
    expect(written).not.toMatch(/error:/);
  });
});
