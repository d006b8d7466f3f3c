import { argumentsOf } from '../../../base/commands/arguments.js';
import { inWords, progressLines } from '../../../base/commands/report.js';
import { commandOf, type Tools } from '../../../feature.js';
import type { Drift, DriftKind } from '../completions/recount.js';
import { Verification } from '../completions/verification.js';

const HELP = `steady streaks verify [--fix]

Recounts everyone's counters from their history and compares them with the stored ones. Those that the
next run of the streak job corrects are counted, but not as a difference.

--fix  sets counters that differ to what the history says

Examples:
  steady streaks verify
  steady streaks verify --fix

Exit codes:
  0  no counter differs, or with --fix no longer
  1  some differ; or the database or an argument is at fault, and a line says which`;

const EXAMPLES = 10;

const describe = ({ userId, taskId, stored, recounted }: Drift) =>
  `  user ${userId}${taskId === null ? '' : `, task ${taskId}`}: ${stored} is stored, ${recounted} replayed`;

async function verify({ database, clock }: Tools, { fix = false }: { fix?: boolean }): Promise<number> {
  const found = new Map<DriftKind, { count: number; examples: Drift[] }>();
  const verification = new Verification(database, clock);
  const tell = progressLines();
  const onUsers = (users: number) => tell(() => `users: ${inWords(users)}`);
  for await (const drift of verification.run({ fix, onUsers })) {
    const { count, examples } = found.get(drift.kind) ?? { count: 0, examples: [] };
    if (count < EXAMPLES) examples.push(drift);
    found.set(drift.kind, { count: count + 1, examples });
  }
  for (const [kind, { count, examples }] of found) {
    console.log(`${kind}: ${count} ${fix ? 'repaired' : 'wrong'}`);
    for (const example of examples) console.log(describe(example));
    if (count > EXAMPLES) console.log(`  and ${count - EXAMPLES} more`);
  }
  const { due } = verification;
  if (due > 0) {
    const counters = due === 1 ? '1 counter is' : `${due} counters are`;
    console.log(`${counters} due to be corrected by the next run of the job.`);
  }
  if (found.size === 0) console.log(`Every ${due > 0 ? 'other ' : ''}counter agrees with its history.`);
  return found.size > 0 && !fix ? 1 : 0;
}

const asked = () => argumentsOf({ options: { fix: { type: 'boolean' } } }).values;

export const command = commandOf(HELP, asked, verify, { looks: true });
