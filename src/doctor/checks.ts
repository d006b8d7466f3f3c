import { type Kysely, sql } from 'kysely';
import { unknownZones } from '../accounts/zones.js';
import type { Clock } from '../clock.js';
import type { Config } from '../config.js';
import { examined } from './examined.js';
import { type Finding, ok, warning, wrong } from './finding.js';
import { openFilesFinding } from './limits.js';
import { proxyFinding } from './proxies.js';
import { postgresFinding } from './versions.js';

/** Something that the service runs without, but not well. Each start makes these checks, and so does the doctor. */
export interface Check {
  about: string;
  look: () => Promise<Finding | Finding[]> | Finding | Finding[];
  needsTables?: boolean;
}

export const checksOfProcess = (config: Config): Check[] => [
  { about: 'proxies', look: () => proxyFinding(config) },
  { about: 'open files', look: () => openFilesFinding(config) },
];

export const checksOfDatabase = (query: Kysely<unknown>, clock: Clock): Check[] => [
  { about: 'PostgreSQL', look: () => postgresFinding(query) },
  { about: 'clocks', look: () => clockFinding(query, clock) },
  { about: 'time zones', look: () => zoneFindings(query), needsTables: true },
];

/** One after the other, each on its own. */
export async function resultsOf(checks: Check[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { about, look } of checks) findings.push(...(await examined(about, look)));
  return findings;
}

/** In milliseconds: differences of the clocks. Days and the ends of tokens are counted by ours. */
const CLOCKS = { noticeable: 1_000, harmful: 60_000 };

/** Half of the time that the question took may be the network's, in either direction. */
async function clockFinding(query: Kysely<unknown>, clock: Clock): Promise<Finding> {
  const about = 'clocks';
  const asked = clock.now().getTime();
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(query);
  const answered = clock.now().getTime();
  const difference = (rows[0]?.now.getTime() ?? Number.NaN) - (asked + answered) / 2;
  const seconds = `${(Math.abs(difference) / 1_000).toFixed(1)} s`;
  const message = `that of the database is ${seconds} ${difference < 0 ? 'behind' : 'ahead of'} ours`;
  const fix = 'Let both machines keep their clocks by NTP: days, streaks and tokens go by them.';
  const size = Math.abs(difference) - (answered - asked) / 2;
  if (size > CLOCKS.harmful) return wrong(about, message, fix);
  return size > CLOCKS.noticeable ? warning(about, message, fix) : ok(about, message);
}

async function zoneFindings(query: Kysely<unknown>): Promise<Finding[]> {
  const zones = await unknownZones(query);
  if (zones.length === 0) return [];
  const named = zones.map(({ zone, users }) => `${zone} (${users})`).join(', ');
  return [
    warning(
      'time zones',
      `the database does not know those of some users: ${named}`,
      'Move to a server with newer time zones: until then their requests are refused.',
    ),
  ];
}
