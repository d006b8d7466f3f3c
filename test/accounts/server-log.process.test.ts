import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import { Passwords } from '../../src/base/passwords/passwords.js';
import { openServer } from '../../src/database/server/open.js';
import { AdministrationService } from '../../src/features/account/administration.service.js';
import { configOf } from '../support/database.js';
import { configWithMail, DOCUMENTS, mailCatcher } from '../support/mail.js';
import { clusterHome, startPostgres } from '../support/server.js';
import { world } from '../support/world.js';

const { patience } = configOf().timeouts;

/** Nothing that a server logs holds a secret, unless it was told to log the values of statements. */
const AS_IT_COMES = {};
const EVERY_STATEMENT = { log_statement: 'all', log_parameter_max_length: '0' };

/** What must not be read by whoever keeps the logs of a database server. */
async function everySecret(url: string): Promise<string[]> {
  const database = await openServer(model, { url, poolSize: 5, patience });
  onTestFinished(() => database.close());
  const catcher = await mailCatcher();
  const here = await world({ database, config: configWithMail(catcher) });
  const { rest, clock } = here;
  const [email, other, made] = [newEmail('Ana'), newEmail('Ben'), newEmail('Cem')];
  const passwords = ['secret of Ana', 'another one of Ana', 'a third of Ana'];
  const [first = '', second = '', third = ''] = passwords;
  const ana = await here.newUser({ email, password: first });
  await here.newUser({ email: other, password: 'secret of Ben' });
  const hashes: string[] = [];
  const noteHashes = async () => {
    const { rows } = await sql<{ hash: string }>`select password_hash as hash from users`.execute(
      database.query(),
    );
    hashes.push(...rows.map(({ hash }) => hash));
  };
  await noteHashes();
  const taken = await rest.post('/api/auth/signup', {
    name: 'A',
    email: email.toUpperCase(),
    password: first,
  });
  expect(taken.body).toEqual({ error: 'Email already in use' });
  const changeEmail =
    'mutation ($input: ChangeEmailInput!) { changeEmail(input: $input) { user { email } } }';
  const refused = await ana.rest.ask(changeEmail, { input: { currentPassword: first, newEmail: other } });
  expect(refused.errors[0].extensions.reason).toBe('EMAIL_TAKEN');
  const changePassword =
    'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { user { email } } }';
  const wrong = await ana.rest.ask(changePassword, {
    input: { currentPassword: third, newPassword: second },
  });
  expect(wrong.errors[0].extensions.reason).toBe('INVALID_CREDENTIALS');
  const changed = await ana.rest.ask(changePassword, {
    input: { currentPassword: first, newPassword: second },
  });
  expect(changed.data.changePassword.user).toEqual({ email });
  const moved = newEmail('Moved');
  const answer = await ana.rest.ask(changeEmail, { input: { currentPassword: second, newEmail: moved } });
  expect(answer.data.changeEmail.user).toEqual({ email: moved });
  await noteHashes();
  await rest.post('/graphql', { query: DOCUMENTS.requestPasswordReset, variables: { email: moved } });
  const token = await catcher.secretFor(moved, 'reset', 2);
  await rest.post('/graphql', { query: DOCUMENTS.resetPassword, variables: { token, newPassword: third } });
  const { body } = await rest.post('/api/auth/login', { email: moved, password: third });
  const api = await rest
    .as(body.token)
    .ask('mutation { createApiToken(input: { name: "A script", scopes: [READ] }) { token } }');
  const quick = new Passwords({ hashThreads: 1, hashCost: 4 });
  const administration = new AdministrationService(database, clock, quick);
  const printed = await administration.create({ email: made, name: 'Cem' });
  await expect(administration.create({ email: made, name: 'Cem' })).rejects.toThrow('already in use');
  await quick.close();
  await noteHashes();
  const digests = await sql<{ secret: string }>`
    select hash as secret from api_tokens union select digest from account_links where digest is not null`.execute(
    database.query(),
  );
  const secrets = [email, other, made, moved, ...passwords, ...hashes, token, body.token, printed];
  const all = [...secrets, api.data.createApiToken.token, ...digests.rows.map(({ secret }) => secret)];
  expect(all.every((each) => typeof each === 'string' && each.length > 8)).toBe(true);
  return all;
}

const newEmail = (name: string) => `${name}-${randomUUID()}@example.com`;

describe.each([
  ['as it comes', AS_IT_COMES],
  ['which logs the text of every statement', EVERY_STATEMENT],
])('The log of a PostgreSQL server %s', (_which, settings: Record<string, string>) => {
  const home = clusterHome();
  const log = () => {
    const files = readdirSync(home).map((name) => readFileSync(path.join(home, name), 'utf8'));
    return files.join('');
  };
  let url = '';
  beforeAll(async () => {
    const server = await startPostgres({ ...settings, logging_collector: 'on', log_directory: home });
    await server.execute('create database own');
    url = server.url('own');
    return server.stop;
  });

  it('has no e-mail address, password, hash or token, whatever people do with their accounts', async () => {
    const secrets = await everySecret(url);
    const written = log().toLowerCase();
    expect(written).toContain(settings.log_statement ? 'insert into users' : 'starting postgresql');
    expect(secrets.filter((each) => written.includes(each.toLowerCase()))).toEqual([]);
    expect(written).not.toMatch(/error:/);
  });
});
