/**
 * The maximum number of objects, lists and members in a JSON text. Brackets take fifty times as long to parse as the
 * same bytes in a string.
 */
const MAX_VALUES = 60_000;

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, OPEN_OBJECT] = [...'"\\,[{'].map((sign) => sign.charCodeAt(0));

/** Tells from the bytes alone whether parsing a JSON text would block the event loop. */
export function isHeavy(text: Uint8Array, most = MAX_VALUES): boolean {
  if (text.length <= most) return false;
  let values = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const byte = text[index];
    if (isInString && byte === BACKSLASH) index += 1;
    else if (byte === QUOTE) isInString = !isInString;
    else if (!isInString && (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT)) values += 1;
  }
  return values > most;
}
