import { distance } from './nearness.js';

/** A variable that was set, and the setting that was probably meant. */
export interface Misnamed {
  given: string;
  meant: string;
}

/** Affixes that people add to the name of a setting. */
const BEFORE = /^(STEADY|APP|MY|API|SERVER|SERVICE|PROD|PRODUCTION|POSTGRES|POSTGRESQL|PG)_/;
const AFTER = /_(KEY|VALUE|STRING|FILE|PATH|PROD|PRODUCTION|MS|SECONDS|BYTES)$/;

/** Names that other programs use too: with a prefix other than ours, the variable belongs to one of them. */
const COMMON = [
  'NODE_ENV',
  'DATA_DIR',
  'LOG_LEVEL',
  'REQUEST_TIMEOUT',
  'MAX_REQUESTS',
  'BODY_LIMIT',
  'WORKERS',
  'BACKUP_DIR',
  'BACKUP_KEEP',
];

/** Too short to tell a typing error from another word, such as HOSTS, POST or CI. Kubernetes sets STEADY_PORT. */
const SHORT = ['HOST', 'PORT', 'UI'];

/** A misspelt variable would be ignored silently, and the default used. */
export function misnamed(environment: Record<string, string | undefined>, settings: string[]): Misnamed[] {
  const isSet = (name: string) => Boolean(environment[name]);
  const missing = settings.filter((name) => !isSet(name)); // if the setting itself is set, the similar variable belongs to another program
  const others = Object.keys(environment).filter((name) => isSet(name) && !settings.includes(name));
  return others.flatMap((given) => {
    const meant = missing.find((name) => isMeantBy(given, name));
    return meant ? [{ given, meant }] : [];
  });
}

function isMeantBy(given: string, name: string): boolean {
  const text = given.toUpperCase().replaceAll(/[-.]/g, '_');
  if (SHORT.includes(name)) return text === name || isTransposed(text, name);
  return isNear(text, name) || text === `STEADY_${name}` || (!COMMON.includes(name) && isDressed(text, name));
}

const isDressed = (text: string, name: string) =>
  text.replace(BEFORE, '') === name || text.replace(AFTER, '') === name;

const isTransposed = (text: string, name: string) =>
  [...text].sort().join() === [...name].sort().join() && distance(text, name) === 1;

/**
 * Compares word by word, so that DATABASE_SSL is not taken for DATABASE_URL; or as a whole, in case underscores are
 * missing.
 */
function isNear(text: string, name: string): boolean {
  const [together, nameTogether] = [text, name].map((each) => each.replaceAll('_', '')) as [string, string];
  const isLong = nameTogether.length >= 8;
  if (distance(together, nameTogether) <= (isLong ? 1 : 0)) return true;
  const [words, nameWords] = [text.split('_'), name.split('_')];
  if (words.length !== nameWords.length) return false;
  const slips = nameWords.map((word, index) => ({ word, by: distance(words[index] ?? '', word) }));
  const total = slips.reduce((sum, { by }) => sum + by, 0);
  return (
    total <= (nameTogether.length >= 10 ? 2 : 1) &&
    slips.every(({ word, by }) => by <= (word.length < 5 ? 1 : 2))
  );
}
