/** A message between a PostgreSQL server and its client, as far as the tests look into it. */
export interface Message {
  /** `Q` is a statement without parameters, `B` one with them, `Z` the end of an answer. */
  type: string;
  /** The body, text and bytes as they come. That of a statement with parameters is the text it was prepared with. */
  text: string;
}

/** Ask for TLS or for GSS: another opening follows. */
const MERELY_ASKS = [80_877_103, 80_877_104];
const LONGEST = 1 << 26;

/** Answers the messages that each chunk completes; nothing any more once the bytes are no such protocol. */
export function frames(side: 'client' | 'server'): (chunk: Buffer) => Message[] {
  let rest: Buffer = Buffer.alloc(0);
  // Only the first message of a client has no type.
  let isOpening = side === 'client';
  let isForeign = false;

  const prepared = new Map<string, string>();

  function textOf(type: string, body: string): string {
    if (side === 'server' || !(type === 'P' || type === 'B')) return body;
    const [first = '', second = ''] = body.split('\0', 2);
    if (type === 'B') return prepared.get(second) ?? '';
    prepared.set(first, second);
    return second;
  }

  function next(): Message | undefined {
    const at = isOpening ? 0 : 1;
    if (rest.length < at + 4) return undefined;
    const length = rest.readInt32BE(at);
    if (length < (isOpening ? 8 : 4) || length > LONGEST) isForeign = true;
    if (isForeign || rest.length < at + length) return undefined;
    const type = isOpening ? '' : String.fromCharCode(rest.readUInt8(0));
    const body = rest.subarray(at + 4, at + length);
    if (isOpening) isOpening = MERELY_ASKS.includes(body.readInt32BE(0));
    rest = rest.subarray(at + length);
    return { type, text: textOf(type, body.toString()) };
  }

  return (chunk) => {
    if (isForeign) return [];
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const messages: Message[] = [];
    for (let message = next(); message; message = next()) messages.push(message);
    return messages;
  };
}
