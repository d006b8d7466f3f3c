import { systemClock } from '../../base/clock.js';
import { argumentsOf } from '../../base/commands/arguments.js';
import type { Told } from '../doctor/checks.js';
import { examine } from '../doctor/examination.js';
import { carryOut } from './command.js';

const HELP = `steady doctor [--json]

Looks at what the service stands on, and says of each part whether it is ok, perhaps a mistake (warning)
or wrong, and how to mend it: the configuration, the database, the clocks, the disks, the versions, the
backups, the proxies, the limits. These are the checks that each start makes, too. It changes nothing,
prints no secret, and the service may run: steady health asks that whether it is ready.
Give it the environment of the service. An embedded database that does not run is started meanwhile.

--json  as JSON, for programs

Examples:
  steady doctor
  steady doctor --json

Exit codes:
  0  nothing is wrong
  1  something is, and a line says how to mend it`;

function inWords(findings: Told[]): string {
  const width = Math.max(...findings.map(({ about }) => about.length));
  const lines = findings.map(({ state, about, message, fix }) => {
    const line = `${state.padEnd('warning'.length)}  ${about.padEnd(width)}  ${message}`;
    return fix ? `${line}\n${' '.repeat('warning'.length + 2)}→ ${fix}` : line;
  });
  const many = (state: Told['state']) => findings.filter((each) => each.state === state).length;
  const warnings = many('warning');
  const sum = `${many('ok')} ok, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}, ${many('wrong')} wrong`;
  return [...lines, sum].join('\n');
}

await carryOut(
  HELP,
  () => argumentsOf({ options: { json: { type: 'boolean' } } }).values,
  async ({ json }) => {
    const findings = await examine(systemClock);
    const failed = findings.some(({ state }) => state === 'wrong');
    console.log(json ? JSON.stringify({ failed, findings }, null, 2) : inWords(findings));
    process.exit(failed ? 1 : 0); // a database that does not answer may still be waited for
  },
);
