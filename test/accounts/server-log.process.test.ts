import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import { Passwords } from '../../src/base/passwords/passwords.js';
import { openServer } from '../../src/database/server/open.js';
import { AdministrationService } from '../../src/features/account/administration.service.js';
import { printedResetLink } from '../../src/features/sign-in/reset-link.js';
import { configOf } from '../support/database.js';
import { DOCUMENTS } from '../support/mail.js';
import { clusterHome, startPostgres } from '../support/server.js';
import { world } from '../support/world.js';

/** A story with every secret of accounts, and all of those: nobody who keeps the logs of a server may read them. */
async function everySecret(url: string): Promise<string[]> {
  const { patience } = configOf().timeouts;
  const database = await openServer(model, { url, poolSize: 5, patience });
  onTestFinished(() => database.close());
  const here = await world({ database });
  const { rest, clock } = here;
  const [email = '', other = '', made = '', moved = ''] = ['Ana', 'Ben', 'Cem', 'Moved'].map(
    (name) => `${name}@example.com`,
  );
  const [first, second, third] = ['secret of Ana', 'another one of Ana', 'a third of Ana'];
  const ana = await here.newUser({ email, password: first });
  await here.newUser({ email: other, password: 'secret of Ben' });
  const hashes: string[] = [];
  const noteHashes = async (of = sql<{ hash: string }>`select password_hash as hash from users`) => {
    hashes.push(...(await of.execute(database.query())).rows.map(({ hash }) => hash));
  };
  await noteHashes();
  const person = { name: 'A', email: email.toUpperCase(), password: first };
  expect((await rest.post('/api/auth/signup', person)).body).toEqual({ error: 'Email already in use' });
  const changes = async (field: 'changeEmail' | 'changePassword', input: object) => {
    const type = `${field.replace('c', 'C')}Input!`;
    const query = `mutation ($input: ${type}) { ${field}(input: $input) { user { email } } }`;
    return (await ana.rest.ask(query, { input })).errors?.[0].extensions.reason;
  };
  expect(await changes('changeEmail', { currentPassword: first, newEmail: other })).toBe('EMAIL_TAKEN');
  const wrong = { currentPassword: third, newPassword: second };
  expect(await changes('changePassword', wrong)).toBe('INVALID_CREDENTIALS');
  expect(await changes('changePassword', { ...wrong, currentPassword: first })).toBeUndefined();
  expect(await changes('changeEmail', { currentPassword: second, newEmail: moved })).toBeUndefined();
  await noteHashes();
  const given = { email: moved.toLowerCase(), publicUrl: here.base };
  const token = (await printedResetLink(database, clock, given)).link.split('=')[1] ?? '';
  await rest.ask(DOCUMENTS.resetPassword, { token, newPassword: third });
  const { body } = await rest.post('/api/auth/login', { email: moved, password: third });
  const create = 'mutation { createApiToken(input: { name: "A script", scopes: [READ] }) { token } }';
  const { data } = await rest.as(body.token).ask(create);
  const quick = new Passwords({ hashThreads: 1, hashCost: 4 });
  onTestFinished(() => quick.close());
  const administration = new AdministrationService(database, clock, quick);
  const printed = await administration.create({ email: made, name: 'Cem' });
  await expect(administration.create({ email: made, name: 'Cem' })).rejects.toThrow('already in use');
  await noteHashes();
  await noteHashes(sql`select hash from api_tokens`);
  const passwords = [first, second, third, printed].map(String);
  return [email, other, made, moved, ...passwords, ...hashes, token, body.token, data.createApiToken.token];
}

it('The log of a server that logs every statement has no e-mail address, password, hash or token', async () => {
  const home = clusterHome();
  const server = await startPostgres({
    ...{ log_statement: 'all', log_parameter_max_length: '0' }, // but no values, which nobody can keep from it
    ...{ logging_collector: 'on', log_directory: home },
  });
  onTestFinished(server.stop);
  await server.execute('create database own');
  const secrets = await everySecret(server.url('own'));
  expect(secrets.every((each) => typeof each === 'string' && each.length > 8)).toBe(true);
  const logs = readdirSync(home).map((name) => readFileSync(path.join(home, name), 'utf8'));
  const written = logs.join('').toLowerCase();
  expect(written).toContain('insert into users');
  expect(secrets.filter((each) => written.includes(each.toLowerCase()))).toEqual([]);
  expect(written).not.toMatch(/error:/);
});
