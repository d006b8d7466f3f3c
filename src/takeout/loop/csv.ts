import { invalid } from '../../errors.js';

/** A row of a table, and the line on which it begins. */
export interface Row {
  cells: string[];
  line: number;
}

/** Far more than Loop writes: a day has a line, a habit twelve columns. Otherwise a small archive would fill the memory. */
const MOST = { rows: 100_000, cells: 100 };

/** Reads a table of comma-separated values (RFC 4180). Lines without anything are left out. */
export function rowsOf(text: string, file: string): Row[] {
  const rows: Row[] = [];
  let row: Row = { cells: [], line: 1 };
  let line = 1;
  for (let at = text.startsWith('\uFEFF') ? 1 : 0; at < text.length || row.cells.length > 0; ) {
    const cell = text[at] === '"' ? quotedAt(text, at) : plainAt(text, at);
    const separator = cell && SEPARATOR.exec(text.slice(cell.end, cell.end + 2))?.[0];
    if (!cell || separator === undefined)
      throw invalid(`${file}, line ${line}: a quotation mark is in the wrong place, or missing`);
    row.cells.push(cell.value);
    if (row.cells.length > MOST.cells || rows.length >= MOST.rows)
      throw invalid(`${file} has more than ${MOST.rows} lines, or ${MOST.cells} columns`);
    at = cell.end + separator.length;
    line += cell.breaks + (separator === ',' ? 0 : 1);
    if (separator === ',') continue;
    if (row.cells.length > 1 || row.cells[0] !== '') rows.push(row);
    row = { cells: [], line };
  }
  return rows;
}

/** What ends a cell: a comma, the end of the line, or that of the text. */
const SEPARATOR = /^(?:,|\r\n|\n|\r|$)/;

const NOT_PLAIN = /[",\r\n]/g;

interface Cell {
  value: string;
  end: number;
  /** Line breaks in it. */
  breaks: number;
}

function plainAt(text: string, begin: number): Cell {
  NOT_PLAIN.lastIndex = begin;
  const end = NOT_PLAIN.exec(text)?.index ?? text.length;
  return { value: text.slice(begin, end), end, breaks: 0 };
}

/** Undefined when its last quotation mark is missing. */
function quotedAt(text: string, begin: number): Cell | undefined {
  let last = text.indexOf('"', begin + 1);
  while (last >= 0 && text[last + 1] === '"') last = text.indexOf('"', last + 2);
  if (last < 0) return undefined;
  const value = text.slice(begin + 1, last).replaceAll('""', '"');
  return { value, end: last + 1, breaks: value.match(/\r\n|\n|\r/g)?.length ?? 0 };
}
