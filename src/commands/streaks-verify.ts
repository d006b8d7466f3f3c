import { systemClock } from '../clock.js';
import type { Drift, DriftKind } from '../tasks/replay.js';
import { Verification } from '../tasks/verification.js';
import { flags, onDatabase } from './command.js';

const EXAMPLES = 10;

const describe = ({ userId, taskId, stored, replayed }: Drift) =>
  `  user ${userId}${taskId === null ? '' : `, task ${taskId}`}: ${stored} is stored, ${replayed} replayed`;

// `npm run streaks:verify -- [--fix]`: compares the counters with the history; exit code 1 when they differ.
await onDatabase(
  () => flags(['fix']),
  async (database, { fix }) => {
    const found = new Map<DriftKind, { count: number; examples: Drift[] }>();
    for await (const drift of new Verification(database, systemClock).run({ fix })) {
      const { count, examples } = found.get(drift.kind) ?? { count: 0, examples: [] };
      if (count < EXAMPLES) examples.push(drift);
      found.set(drift.kind, { count: count + 1, examples });
    }
    for (const [kind, { count, examples }] of found) {
      console.log(`${kind}: ${count} ${fix ? 'repaired' : 'wrong'}`);
      for (const example of examples) console.log(describe(example));
      if (count > EXAMPLES) console.log(`  and ${count - EXAMPLES} more`);
    }
    if (found.size === 0) console.log('Every counter agrees with its history.');
    return found.size > 0 && !fix ? 1 : 0;
  },
);
