/** Edit distance: letters added, left out, replaced, or swapped with the next one. More than 2 counts as 3. */
export function distance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > 2) return 3;
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return at(from.length, to.length);
}

/** The word that was probably meant; undefined where none is near, or two are equally near. */
export function nearest(given: string, words: readonly string[]): string | undefined {
  const ranked = words
    .map((word) => ({ word, by: slipFrom(given, word) }))
    .filter(({ by }) => by < FAR)
    .sort((one, other) => one.by - other.by);
  const [first, second] = ranked;
  return first && first.by !== second?.by ? first.word : undefined;
}

const FAR = 3;

/** In a short word one wrong letter makes another word, so only longer ones may have two. */
function slipFrom(given: string, word: string): number {
  if (given.length >= 2 && word.startsWith(given)) return 1;
  const by = distance(given, word);
  return by <= Math.max(1, Math.floor(word.length / 3)) ? by : FAR;
}
