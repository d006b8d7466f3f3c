import net from 'node:net';

/** A request as it goes over the wire: nothing is escaped, added or refused on its way. */
export interface RawRequest {
  method: string;
  target: string;
  headers: [name: string, value: string][];
  body: Buffer;
}

export interface RawAnswer {
  status: number;
  /** By names in lower case. */
  headers: Map<string, string>;
  text: string;
}

/** In milliseconds: whoever waits longer waits for ever. */
export const PATIENCE = 100_000;

/** In milliseconds: after that long, the service is told that nothing follows of a body that was announced. */
const END_AFTER = 1_000;

export function exchange(base: string, request: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = net.connect(Number(port), hostname);
    const limit = setTimeout(() => {
      socket.destroy();
      reject(new Error(`No answer within ${PATIENCE} ms`));
    }, PATIENCE);
    const end = isWhole(request) ? undefined : setTimeout(() => socket.end(), END_AFTER);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => {}); // what arrived before decides
    socket.on('close', () => {
      clearTimeout(end);
      clearTimeout(limit);
      try {
        const answer = answerIn(Buffer.concat(chunks), request.method);
        if (answer.status === 408 && isWhole(request)) throw new Error('Waited for more than there was');
        resolve(answer);
      } catch (error) {
        reject(error);
      }
    });
    socket.write(bytesOf(request));
  });
}

/** Who ends the connection after a whole request looks gone, and the service then answers nothing. */
function isWhole({ headers, body }: RawRequest): boolean {
  return headers.every(([name, value]) => {
    if (/^content-length$/i.test(name)) return Number(value) === body.length;
    return !/^transfer-encoding$/i.test(name) || body.toString('latin1').endsWith('0\r\n\r\n');
  });
}

function bytesOf({ method, target, headers, body }: RawRequest): Buffer {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const tellsLength = body.length === 0 || names.has('content-length') || names.has('transfer-encoding');
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...(names.has('host') ? [] : ['host: localhost']),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(tellsLength ? [] : [`content-length: ${body.length}`]),
    ...(names.has('connection') ? [] : ['connection: close']),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]);
}

function answerIn(bytes: Buffer, method: string): RawAnswer {
  const end = bytes.indexOf('\r\n\r\n');
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  if (end < 0 || !status) throw new Error(`No answer: ${JSON.stringify(bytes.toString('latin1'))}`);
  const rest = bytes.subarray(end + 4);
  if (status === 100) return answerIn(rest, method);
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const isChunked = headers.get('transfer-encoding') === 'chunked';
  const body = isChunked ? joined(rest) : rest;
  const length = headers.get('content-length');
  if (length !== undefined && method !== 'HEAD' && Number(length) !== body.length) {
    throw new Error(`An answer of ${body.length} bytes instead of ${length}: ${first}`);
  }
  return { status, headers, text: body.toString() };
}

function joined(chunked: Buffer): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const end = chunked.indexOf('\r\n', at);
    const size = Number.parseInt(chunked.subarray(at, end).toString('latin1'), 16);
    if (end < 0 || Number.isNaN(size)) throw new Error('An answer that was broken off');
    if (size === 0) return Buffer.concat(parts);
    parts.push(chunked.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}

/** A line for a shell that sends the same. */
export function curlOf(base: string, { method, target, headers, body }: RawRequest): string {
  const named = headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const sent = body.length > 0 ? [`--data-binary ${quoted(body)}`] : [];
  return ['curl -i -m 10 --path-as-is -X', quoted(method), quoted(base + target), ...named, ...sent].join(
    ' ',
  );
}

const LONGEST_SHOWN = 3_000;

function quoted(content: string | Buffer): string {
  const bytes = Buffer.from(content).toString('latin1');
  const shown =
    bytes.length > LONGEST_SHOWN ? `${bytes.slice(0, LONGEST_SHOWN)}…${bytes.length} bytes` : bytes;
  if (/^[\x20-\x7e]*$/.test(shown)) return `'${shown.replaceAll("'", "'\\''")}'`;
  const escaped = shown
    .replace(/[\\']/g, '\\$&')
    .replace(/[^\x20-\x7e…]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return `$'${escaped}'`;
}
