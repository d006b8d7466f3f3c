import { CsvError, parse } from 'csv-parse/sync';
import { unzipSync } from 'fflate';
import { invalid, Refusal } from '../../../base/errors.js';

/** A row of a table, and the line on which it ends. */
export interface Row {
  cells: string[];
  line: number;
}

/** Far more than Loop writes: a habit has two files, a day one line. A small archive may unpack to any size. */
const MOST = { files: 10_000, bytes: 64 * 1_024 * 1_024, rows: 100_000 };

const tooLarge = () => invalid(`The ZIP archive holds more than ${MOST.files} files, or ${MOST.bytes} bytes`);

/** In a name, which a terminal may be told: it would obey. */
const NOT_PRINTED = /[\p{Cc}\p{Bidi_Control}]/u;

/** The tables in a ZIP archive, by their paths. */
export function tablesIn(archive: Uint8Array): Map<string, Uint8Array> {
  let [files, bytes] = [0, 0];
  const isTable = ({ name, originalSize }: { name: string; originalSize: number }): boolean => {
    files += 1;
    if (name.endsWith('.csv')) bytes += originalSize;
    if (files > MOST.files || bytes > MOST.bytes) throw tooLarge();
    if (NOT_PRINTED.test(name)) throw invalid('The ZIP archive is damaged');
    return name.endsWith('.csv');
  };
  try {
    return new Map(Object.entries(unzipSync(archive, { filter: isTable })));
  } catch (error) {
    throw error instanceof Refusal
      ? error
      : invalid('This is not a whole ZIP archive, or one that is encrypted');
  }
}

export function rowsOf(table: Uint8Array, file: string): Row[] {
  const options = {
    bom: true,
    relaxColumnCount: true,
    skipEmptyLines: true,
    info: true,
    to: MOST.rows + 1,
  } as const;
  let rows: Row[];
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(table);
    const records = parse(text, options) as unknown as { record: string[]; info: { lines: number } }[];
    rows = records.map(({ record, info }) => ({ cells: record, line: info.lines }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw invalid(`${file} is not text in UTF-8`);
    throw invalid(`${file}, line ${error.lines}: a quotation mark is in the wrong place, or missing`);
  }
  if (rows.length > MOST.rows) throw invalid(`${file} has more than ${MOST.rows} lines`);
  return rows;
}
