import type { Page, PageRequest, Position } from './page.js';

/** The number of rows held in memory at a time while a whole list is read. */
const LENGTH = 100;

/** Some rows of a list that is read to its end. */
export interface Chunk<Row> {
  rows: Row[];
  /** Reads on; null at the end of the list. */
  next: (() => Promise<Chunk<Row>>) | null;
}

/** Reads the first rows of a whole list, or those after a position. A short list takes one statement. */
export async function chunkOf<Row>(
  pageAt: (request: PageRequest) => Page<Row>,
  after?: Position,
): Promise<Chunk<Row>> {
  const page = pageAt({ first: LENGTH, ...(after && { after }) });
  const found = await page.rows();
  if (found.length <= LENGTH) return { rows: found, next: null };
  const rows = found.slice(0, LENGTH);
  // Computed here, so that `next` does not keep the rows in memory.
  const last = page.positionOf(rows[LENGTH - 1] as Row);
  return { rows, next: () => chunkOf(pageAt, last) };
}
