import { sql } from 'kysely';
import { type Finding, ok, warning } from '../../base/finding.js';
import type { Examined } from '../../feature.js';

const LOST = 'what was saved may be lost, or the whole database, when the machine loses power';
const LATELY_LOST = 'what was saved in the last moment may be lost when the server stops';
const SLOW = 'a statement may take seconds longer, in which nothing cancels it';
const TRIED_AGAIN = 'changes at the same time fail more often, and are tried again';
const MISREAD = 'values are written in another way than the service reads';
const ENDED = 'the server ends connections or long work of the service, such as a backup';

/** What the service was tried with, and what another value does: as docs/scaling.md lists them. */
const TRIED: Record<string, [tried: RegExp, otherwise: string]> = {
  fsync: [/^on$/, LOST],
  full_page_writes: [/^on$/, LOST],
  synchronous_commit: [/^(on|local|remote_\w+)$/, LATELY_LOST],
  jit: [/^off$/, SLOW],
  default_transaction_isolation: [/^read committed$/, TRIED_AGAIN],
  transaction_timeout: [/^0$/, ENDED],
  idle_session_timeout: [/^0$/, ENDED],
  DateStyle: [/^ISO/, MISREAD],
  bytea_output: [/^hex$/, MISREAD],
  standard_conforming_strings: [/^on$/, MISREAD],
  array_nulls: [/^on$/, MISREAD],
  extra_float_digits: [/^[1-3]$/, MISREAD],
};

const FIX =
  'Set it back for the server, the database and the role, or in the connect_query of a pooler: docs/scaling.md lists what was tried.';

/** Looks at a session of requests: what the service sets for itself is not named, except where a pooler has it. */
export async function settingsFinding({ query }: Examined): Promise<Finding[]> {
  const { rows } = await sql<{ name: string; value: string }>`
    select name, current_setting(name) as value from pg_settings where name = any(${Object.keys(TRIED)}::text[])
    order by name`.execute(query);
  const others = rows.flatMap(({ name, value }) => {
    const [tried, otherwise] = TRIED[name] ?? [];
    return tried?.test(value) ? [] : [warning(`${name} is ${value}: ${otherwise}`, FIX)];
  });
  return others.length > 0 ? others : [ok('those of the server that matter are as they were tried')];
}
