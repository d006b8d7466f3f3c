/** A variable that was set, and the setting that was probably meant. */
export interface Misnamed {
  given: string;
  meant: string;
}

/** What release candidates had: what protected somebody is not to be ignored without a word. */
const GONE: Record<string, string> = {
  MCP: 'tools for agents need an API token of a user',
  PUBLIC_PATH: 'PUBLIC_URL has the path below which a proxy shows the service, as in https://example.org/habits',
  REMINDERS: '`steady reminders off` holds reminders back',
  METRICS_HOST: 'METRICS_PORT takes an address too, such as 0.0.0.0:9464',
  GRAPHQL_INTROSPECTION: 'the schema is public',
  OIDC_ALLOW_HTTP: 'a provider elsewhere is on https',
};

export const goneIn = (environment: Record<string, string | undefined>): string[] =>
  Object.entries(GONE)
    .filter(([name]) => environment[name])
    .map(([name, instead]) => `${name} is no setting any more, and has no effect: ${instead}.`);

/** A slip in a name with fewer letters makes another word, such as HOSTS, POST or CI. */
const FEWEST_LETTERS = 8;

/** Variables that are nearly one of the settings, which would be ignored silently, and the default used. */
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
  const [text, setting] = [given, name].map(lettersOf) as [string, string];
  if (text === setting) return true;
  if (setting.length < FEWEST_LETTERS) return false;
  return isOneSlip(text, setting) || text === `STEADY${setting}`;
}

const lettersOf = (name: string) => name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');

/** Whether a letter was added, left out, replaced, or swapped with the next one. */
function isOneSlip(text: string, name: string): boolean {
  let start = 0;
  while (start < name.length && text[start] === name[start]) start += 1;
  let end = 0;
  while (end < Math.min(text.length, name.length) - start && text.at(-1 - end) === name.at(-1 - end))
    end += 1;
  const [wrong, right] = [text.slice(start, text.length - end), name.slice(start, name.length - end)];
  const isSwapped = right.length === 2 && wrong === `${right[1]}${right[0]}`;
  return isSwapped || (wrong.length <= 1 && right.length <= 1);
}
