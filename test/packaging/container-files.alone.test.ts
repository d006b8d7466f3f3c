import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { readConfig, settings } from '../../src/features/settings.js';
import { inImage, variables } from '../support/image.js';

describe('The Dockerfile', () => {
  it('runs as nobody, holds no secret, and sets only what the service knows', () => {
    const users = inImage.filter((each) => each.getKeyword() === 'USER');
    expect(users.map((each) => each.getRawArgumentsContent())).toEqual(['65532:65532']);
    const known: string[] = Object.values(settings).flatMap(({ name }) => [name, `${name}_FILE`]);
    expect(Object.keys(variables).filter((name) => !known.includes(name))).toEqual([]);
    expect(variables.NODE_ENV).toBe('production');
    expect(() => readConfig(variables as NodeJS.ProcessEnv)).not.toThrow();
  });
});

/** As Docker reads it where nothing is set. */
const text = readFileSync('compose.yaml', 'utf8').replaceAll(/\$\{\w+:-(.*?)\}/g, '$1');
const compose = parse(text);
const { secrets, database, steady } = compose.services;
const everyService: [string, Record<string, never>][] = Object.entries(compose.services);

describe('compose.yaml', () => {
  it('holds no secret, and no variable that somebody must replace', () => {
    expect(text).not.toMatch(/\$\{|change.?me|replace|\benv_file\b/i);
    for (const [, service] of everyService) {
      const secret = Object.keys(service.environment ?? {}).filter((name) =>
        /SECRET|PASSWORD|DATABASE_URL/.test(name),
      );
      for (const name of secret) expect(name).toMatch(/_FILE$/);
    }
  });

  it('sets what the service knows, and nothing that it refuses', () => {
    const all: string[] = Object.values(settings).flatMap(({ name }) => [name, `${name}_FILE`]);
    expect(Object.keys(steady.environment).filter((name) => !all.includes(name))).toEqual([]);
    const given = Object.fromEntries(
      Object.entries(steady.environment).flatMap(([name, value]) =>
        name === 'DATABASE_URL_FILE' || value === null ? [] : [[name, String(value)]],
      ),
    );
    const config = readConfig({ ...variables, ...given, DATABASE_URL: 'postgres://steady@database/steady' });
    expect(config).toMatchObject({
      workers: 2,
      backupDir: '/data/backups',
      metrics: { host: '0.0.0.0', port: 9464 },
    });
    expect(config.warnings).toEqual([]);
  });

  it.each(everyService)('lets %s gain no privileges, and have none by default', (_, service) => {
    expect(service).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(service).not.toHaveProperty('privileged');
  });
});

describe('The service `secrets` of compose.yaml', () => {
  it('makes a password and an address with it, once, for its account alone', () => {
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

describe.each(['ntfy', 'apprise', 'mail'])('examples/%s/compose.yaml', (name) => {
  const read = () =>
    readFileSync(`examples/${name}/compose.yaml`, 'utf8').replaceAll(/\$\{\w+:-(.*?)\}/g, '$1');

  it('adds one service, of an image with a version, which shares a network with Steady', () => {
    const { services, networks = {}, volumes = {} } = parse(read());
    const [added, ...others] = Object.keys(services).filter((each) => each !== 'steady');
    expect([added, others]).toEqual([name, []]);
    expect(services[name].image).toMatch(/^[\w/]+:v?\d+\.\d+/);
    const own = [...steady.networks, ...(services.steady.networks ?? [])];
    expect(own).toEqual(expect.arrayContaining(services[name].networks));
    for (const network of services[name].networks)
      expect(['default', ...Object.keys({ ...compose.networks, ...networks })]).toContain(network);
    const mounted = (services[name].volumes ?? []).map((volume: string) => volume.split(':')[0]);
    expect(mounted).toEqual(Object.keys(volumes));
    for (const port of services[name].ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  it('gives Steady settings that it takes, which lead to that service', () => {
    const { environment } = parse(read()).services.steady;
    const config = readConfig({ ...environment, PUBLIC_URL: environment.PUBLIC_URL || undefined });
    const leads = { ntfy: config.ntfyUrl, apprise: config.appriseUrl, mail: config.smtpUrl?.toString() };
    expect(leads[name as keyof typeof leads]).toContain(`//${name}`);
  });
});
