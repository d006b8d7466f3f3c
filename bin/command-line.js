import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { become } from './become.js';
import { folderForData } from './data-folder.js';
import { heapOf, MALLOC } from './node-options.js';
import { enterUnit, UnitError } from './unit.js';

/** The folder of this installation. */
export const root = new URL('../', import.meta.url);

/** What an operator runs beside the service: each is a file of dist/src/operation/commands, with - for the space. */
export const COMMANDS = {
  doctor: 'says what is wrong with this installation, and how to mend it',
  health: 'asks the service that runs whether it is ready',
  users: 'lists, makes, signs out, suspends and deletes accounts',
  backup: 'writes all data to one file',
  restore: 'brings a backup into an empty database',
  reminders: 'says whether reminders ring, lets them ring or holds them back',
  templates: 'brings challenge templates of your own',
  'streaks verify': 'recounts everyone from their history',
  'streaks reset': 'runs the streak job once',
  sql: 'carries out SQL on the database',
  migrate: 'brings the database up to date',
  distribute: 'distributes a database with Citus',
};

const WIDTH = Math.max(...Object.keys(COMMANDS).map((name) => name.length));

const HELP = `steady [COMMAND] [--data DIR] [--unit NAME]

Without a command, or with \`start\`, it starts the service, which serves until SIGTERM. The others run beside it:

${Object.entries(COMMANDS)
  .map(([name, what]) => `  ${name.padEnd(WIDTH)}  ${what}`)
  .join('\n')}

--data DIR   the folder of the embedded database, as DATA_DIR is; else this account's folder for data
--unit NAME  as the account of that unit of systemd, with its settings
--help       after a command: what it does, with examples
--version    of Steady

Settings are variables of the environment: see docs/operate.md.

Examples:
  steady
  steady doctor
  steady --unit steady users list
  steady backup --data /srv/steady --to /mnt/other-disk/steady.jsonl.gz`;

class UsageError extends Error {}

/**
 * Takes out what is of `steady` itself, wherever it stands; after -- nothing is.
 *
 * @param {string[]} args
 */
function parted(args) {
  const own = {};
  const rest = [];
  for (let index = 0; index < args.length; index += 1) {
    const argument = args[index];
    if (argument === '--') return { own, rest: [...rest, ...args.slice(index)] };
    const [, name, inIt] = /^--(data|unit)(?:=(.*))?$/s.exec(argument) ?? [];
    if (name === undefined) {
      rest.push(argument);
      continue;
    }
    if (own[name] !== undefined) throw new UsageError(`--${name} is given twice`);
    if (inIt === undefined) index += 1;
    own[name] = inIt ?? args[index];
    if (!own[name]) throw new UsageError(`--${name} needs a value`);
  }
  return { own, rest };
}

/**
 * The command that is asked for, and what follows it.
 *
 * @param {string[]} args
 */
function asked([first, second, ...rest]) {
  if (first === undefined || first.startsWith('-'))
    return { command: 'start', args: [first, second, ...rest] };
  if (first === 'start' || Object.hasOwn(COMMANDS, first)) return { command: first, args: [second, ...rest] };
  const words = Object.keys(COMMANDS).flatMap((name) =>
    name.startsWith(`${first} `) ? name.split(' ')[1] : [],
  );
  if (words.includes(second)) return { command: `${first} ${second}`, args: rest };
  if (words.length > 0 && /^(--help|-h)$/.test(second ?? '')) return { help: linesOf(first) };
  if (words.length === 0)
    throw new UsageError(
      `There is no command '${first}'. Allowed: start, ${Object.keys(COMMANDS).join(', ')}`,
    );
  throw new UsageError(`Say what to do after ${first}. Allowed: ${words.join(', ')}`);
}

/**
 * What there is to do after a first word, as in the help.
 *
 * @param {string} first
 */
const linesOf = (first) =>
  HELP.split('\n')
    .filter((line) => line.startsWith(`  ${first} `))
    .join('\n');

const manifest = () => JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));

/** Node 22 has a word for those who program: that SQLite, which keeps the lock, is new. */
const QUIET = '--disable-warning=ExperimentalWarning';

/** @param {string[]} args */
function start(args) {
  const { version, triedOn } = manifest();
  const { node } = process.versions;
  if (triedOn && Number.parseInt(triedOn, 10) !== Number.parseInt(node, 10))
    console.error(`Steady ${version} was tried on Node ${triedOn}, and this is Node ${node}.`);
  become([QUIET, ...heapOf('main.js'), built('main'), ...args], { ...MALLOC, ...process.env });
}

/** @param {string} name */
const built = (name) => fileURLToPath(new URL(`dist/src/${name}.js`, root));

/**
 * The database of a folder, whatever server the environment names.
 *
 * @param {string} folder
 */
function enterFolder(folder) {
  for (const name of ['DATABASE_URL', 'DATABASE_DIRECT_URL'])
    for (const each of [name, `${name}_FILE`]) delete process.env[each];
  process.env.DATA_DIR = folder;
}

/** @param {string[]} given */
function run(given) {
  const { own, rest } = parted(given);
  if (/^(--help|-h|help)$/.test(rest[0] ?? '')) return console.log(HELP);
  if (rest[0] === '--version') return console.log(manifest().version);
  const { command: name, args, help } = asked(rest);
  if (help) return console.log(help);
  const following = args.filter((argument) => argument !== undefined);
  if (own.unit !== undefined) {
    if (name === 'start') throw new UsageError(`The unit itself starts it: systemctl start ${own.unit}`);
    enterUnit(own.unit);
  }
  if (own.data !== undefined) enterFolder(own.data);
  // A checkout has its own.
  else if (!process.env.DATA_DIR && !existsSync(new URL('src', root))) process.env.DATA_DIR = folderForData();
  if (name === 'start') return start(following);
  const script = built(`operation/commands/${name.replace(' ', '-')}`);
  return become([QUIET, script, ...following], process.env);
}

/** @param {string[]} given */
export function steady(given) {
  try {
    run(given);
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof UnitError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
