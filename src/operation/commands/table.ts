import type pg from 'pg';

/** What a statement has brought: its rows below their names, or what it has done. */
export function tableOf({ fields, rows, command, rowCount }: pg.QueryArrayResult<(string | null)[]>): string {
  const done = [command, rowCount].filter((part) => part !== null).join(' ');
  if (fields.length === 0) return done;
  const lines = [fields.map(({ name }) => name), ...rows.map((row) => row.map(inCell))];
  const widths = fields.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const [head = '', ...body] = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(' | ')
      .trimEnd(),
  );
  const rule = widths.map((width) => '-'.repeat(width)).join('-+-');
  return [head, rule, ...body, `(${rows.length} ${rows.length === 1 ? 'row' : 'rows'})`].join('\n');
}

/** On one line, and nothing that a terminal would obey. */
const inCell = (value: string | null) =>
  value === null ? 'null' : value.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, ' ');
