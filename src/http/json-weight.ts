/** Objects, lists and members of them in one JSON text: a text of brackets takes fifty times as long to read as one long string. */
const MOST_VALUES = 60_000;

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, OPEN_OBJECT] = [...'"\\,[{'].map((sign) => sign.charCodeAt(0));

/** Whether to read a JSON text would keep the event loop busy, told from its bytes alone. */
export function isHeavy(text: Uint8Array): boolean {
  if (text.length <= MOST_VALUES) return false;
  let values = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const byte = text[index];
    if (isInString && byte === BACKSLASH) index += 1;
    else if (byte === QUOTE) isInString = !isInString;
    else if (!isInString && (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT)) values += 1;
  }
  return values > MOST_VALUES;
}
