import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { readConfig, settings } from '../../src/features/settings.js';
import { inImage, variables } from '../support/image.js';

const known: string[] = Object.values(settings).flatMap(({ name }) => [name, `${name}_FILE`]);
const unknownIn = (environment: object) => Object.keys(environment).filter((name) => !known.includes(name));

it('The Dockerfile runs as nobody, and sets only what the service knows', () => {
  const users = inImage.filter((each) => each.getKeyword() === 'USER');
  expect(users.map((each) => each.getRawArgumentsContent())).toEqual(['65532:65532']);
  expect(unknownIn(variables)).toEqual([]);
  expect(variables.NODE_ENV).toBe('production');
  expect(() => readConfig(variables as NodeJS.ProcessEnv)).not.toThrow();
});

/** As Docker reads it where nothing is set. */
const read = (file: string) => readFileSync(file, 'utf8').replaceAll(/\$\{\w+:-(.*?)\}/g, '$1');

const text = read('compose.yaml');
const compose = parse(text);
const { secrets, database, steady } = compose.services;
const everyService: [string, Record<string, never>][] = Object.entries(compose.services);

describe('compose.yaml', () => {
  it('holds no secret, no variable that somebody must replace, and gives no service privileges', () => {
    expect(text).not.toMatch(/\$\{|change.?me|replace|\benv_file\b/i);
    for (const [name, service] of everyService) {
      const set = Object.keys(service.environment ?? {}).join(' ');
      expect(set, name).not.toMatch(/(SECRET|PASSWORD|DATABASE_URL)\b/);
      const none = { cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] };
      expect(service, name).toMatchObject(none);
      expect(service, name).not.toHaveProperty('privileged');
    }
  });

  it('sets what the service knows, and nothing that it refuses', () => {
    expect(unknownIn(steady.environment)).toEqual([]);
    const { DATABASE_URL_FILE: _, ...given } = steady.environment;
    const set = Object.entries(given).flatMap(([name, value]) =>
      value === null ? [] : [[name, String(value)]],
    );
    const config = readConfig({
      ...{ ...variables, ...Object.fromEntries(set) },
      DATABASE_URL: 'postgres://steady@database/steady',
    });
    expect(config).toMatchObject({
      workers: 2,
      backupDir: '/data/backups',
      metrics: { host: '0.0.0.0', port: 9464 },
    });
    expect(config.warnings).toEqual([]);
  });

  it('has a service that makes a password and an address with it, once, for its account alone', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'steady-compose-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const make = () => {
      const script = secrets.command[0].replaceAll('/secrets/', `${folder}/`);
      const { status, stderr } = spawnSync(process.execPath, ['--eval', script], { encoding: 'utf8' });
      expect(status, stderr).toBe(0);
      return ['database-password', 'database-url'].map((name) =>
        readFileSync(path.join(folder, name), 'utf8'),
      );
    };
    const [password, url] = make();
    expect(password).toMatch(/^[0-9a-f]{64}$/);
    const { POSTGRES_USER, POSTGRES_DB } = database.environment;
    expect(url).toBe(`postgres://${POSTGRES_USER}:${password}@database/${POSTGRES_DB}`);
    expect(make()).toEqual([password, url]);
    expect(readdirSync(folder)).toEqual(['database-password', 'database-url']);
    for (const name of readdirSync(folder))
      expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
  });
});

it.each(['ntfy', 'apprise', 'mail'])(
  'examples/%s/compose.yaml adds one service of a fixed version, on a network with Steady, whose settings lead to it',
  (name) => {
    const { services, networks = {}, volumes = {} } = parse(read(`examples/${name}/compose.yaml`));
    expect(Object.keys(services).sort()).toEqual([name, 'steady'].sort());
    expect(services[name].image).toMatch(/^[\w/]+:v?\d+\.\d+/);
    const own = [...steady.networks, ...(services.steady.networks ?? [])];
    expect(own).toEqual(expect.arrayContaining(services[name].networks));
    for (const network of services[name].networks)
      expect(['default', ...Object.keys({ ...compose.networks, ...networks })]).toContain(network);
    const mounted = (services[name].volumes ?? []).map((volume: string) => volume.split(':')[0]);
    expect(mounted).toEqual(Object.keys(volumes));
    for (const port of services[name].ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
    const { environment } = services.steady;
    const config = readConfig({ ...environment, PUBLIC_URL: environment.PUBLIC_URL || undefined });
    const leads = { ntfy: config.ntfyUrl, apprise: config.appriseUrl, mail: config.smtpUrl?.toString() };
    expect(leads[name as keyof typeof leads]).toContain(`//${name}`);
  },
);
