import type { Page, PageRequest, Position } from './page.js';

/** How many rows are in memory at a time, of a list that is read to its end. */
const LENGTH = 100;

/** Some rows of a list that is read from its beginning to its end. */
export interface Stretch<Row> {
  rows: Row[];
  /** Reads on; null at the end of the list. */
  next: (() => Promise<Stretch<Row>>) | null;
}

/** The first rows of a whole list, or those after a position: a list of one stretch takes one statement. */
export async function stretchOf<Row>(
  pageAt: (request: PageRequest) => Page<Row>,
  after?: Position,
): Promise<Stretch<Row>> {
  const page = pageAt({ first: LENGTH, ...(after && { after }) });
  const found = await page.rows();
  if (found.length <= LENGTH) return { rows: found, next: null };
  const rows = found.slice(0, LENGTH);
  // Found now: whoever waits to read on must not keep the rows.
  const last = page.positionOf(rows[LENGTH - 1] as Row);
  return { rows, next: () => stretchOf(pageAt, last) };
}
