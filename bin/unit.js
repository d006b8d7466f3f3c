import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A unit of systemd cannot be entered. The message is one line for the operator. */
export class UnitError extends Error {}

const ASKED = [
  ...['LoadState', 'User', 'Group', 'UID', 'GID', 'UMask', 'Environment', 'EnvironmentFiles'],
  ...['StateDirectory', 'StateDirectoryMode'],
];

/** What is left of the environment of whoever calls. */
const KEPT = ['PATH', 'LANG', 'TERM'];

/**
 * Makes this process one of the unit's: its account, and its settings and no others.
 *
 * @param {string} name
 */
export function enterUnit(name) {
  const unit = shown(name);
  if (one(unit, 'LoadState') !== 'loaded') throw new UnitError(`systemd knows no unit ${name}`);
  const state = (one(unit, 'StateDirectory') ?? '').split(' ').filter(Boolean);
  const account = accountOf(name, unit);
  const environment = {
    ...environmentOf(unit),
    ...(state.length > 0 ? { STATE_DIRECTORY: state.map((folder) => `/var/lib/${folder}`).join(':') } : {}),
  };
  for (const variable of Object.keys(process.env)) if (!KEPT.includes(variable)) delete process.env[variable];
  Object.assign(process.env, environment);
  if (account) enter(account, state, unit);
}

/**
 * What systemd says of it. A property may have several lines, and a value may have a line break.
 *
 * @param {string} name
 * @returns {Map<string, string[]>}
 */
function shown(name) {
  const args = ['show', name, `--property=${ASKED.join(',')}`];
  const { error, status, stdout, stderr } = spawnSync('systemctl', args, { encoding: 'utf8' });
  if (error || status !== 0)
    throw new UnitError(`systemctl does not tell of ${name}: ${(error?.message ?? stderr).split('\n')[0]}`);
  const found = new Map();
  for (const [, property, value] of stdout.matchAll(
    new RegExp(`^(${ASKED.join('|')})=(.*(?:\\n(?!\\w+=).*)*)$`, 'gm'),
  ))
    found.set(property, [...(found.get(property) ?? []), value.trimEnd()]);
  return found;
}

/** @param {Map<string, string[]>} unit @param {string} property */
const one = (unit, property) => unit.get(property)?.[0] || undefined;

/** @param {Map<string, string[]>} unit */
function environmentOf(unit) {
  const pairs = words(one(unit, 'Environment') ?? '').map((each) => each.split(/=(.*)/s));
  for (const line of unit.get('EnvironmentFiles') ?? []) {
    const [, file, mayLack] = /^(.+) \(ignore_errors=(yes|no)\)$/.exec(line) ?? [];
    if (file && (existsSync(file) || mayLack === 'no')) pairs.push(...pairsIn(file));
  }
  return Object.fromEntries(pairs.map(([name, value = '']) => [name, value]));
}

/** @param {string} file */
function pairsIn(file) {
  const lines = read(file).replaceAll(/\\\n/g, '').split('\n');
  const settings = lines.filter((line) => /^\s*[^#;\s][^=]*=/.test(line)).map((line) => line.split(/=(.*)/s));
  return settings.map(([name, value]) => [name.trim(), unquoted(value.trim())]);
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UnitError(`The settings of the unit cannot be read: ${error.message}`);
  }
}

const QUOTED = /"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)|(.)/gs;

/**
 * As systemd reads a value: in double quotes a backslash goes before what would mean something there.
 *
 * @param {string} text
 */
const unquoted = (text) =>
  text.replaceAll(QUOTED, (_, double, single, escaped, plain) =>
    double === undefined ? (single ?? escaped ?? plain) : double.replaceAll(/\\(["\\`$])/g, '$1'),
  );

/**
 * @param {string} text
 * @returns {string[]}
 */
const words = (text) => (text.match(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|\S)+/gs) ?? []).map(unquoted);

/**
 * The account of a unit with DynamicUser is there while the unit runs. Undefined: root, or as which this runs already.
 *
 * @param {string} name
 * @param {Map<string, string[]>} unit
 */
function accountOf(name, unit) {
  const user = one(unit, 'User');
  if (!user) return undefined;
  const running = [one(unit, 'UID'), one(unit, 'GID')].map(Number);
  const [uid, gid] = running.every(Number.isInteger) ? running : idsOf(user, one(unit, 'Group'));
  if (!Number.isInteger(uid) || !Number.isInteger(gid))
    throw new UnitError(`The account ${user} of ${name} is not there: start the unit, or make the account`);
  if (uid === process.getuid?.()) return undefined;
  if (process.getuid?.() !== 0) throw new UnitError(`${name} runs as the account ${user}: run this as root`);
  return { user, uid, gid };
}

/** @param {string} user @param {string | undefined} group */
function idsOf(user, group) {
  const entryOf = (database, name) =>
    spawnSync('getent', [database, name], { encoding: 'utf8' }).stdout?.split(':') ?? [];
  const [, , uid, gid] = entryOf('passwd', user);
  return [uid, group ? entryOf('group', group)[2] : gid].map((id) => Number(id || Number.NaN));
}

/** Makes the unit's folders first, as its start does. */
function enter({ user, uid, gid }, state, unit) {
  for (const folder of state.map((each) => path.join('/var/lib', each))) {
    if (existsSync(folder)) continue;
    mkdirSync(folder, {
      recursive: true,
      mode: Number.parseInt(one(unit, 'StateDirectoryMode') ?? '755', 8),
    });
    chownSync(folder, uid, gid);
  }
  process.umask(Number.parseInt(one(unit, 'UMask') ?? '022', 8));
  process.initgroups(uid, gid);
  process.setgid(gid);
  process.setuid(uid);
  process.env.USER = user;
}
