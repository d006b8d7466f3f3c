import { createHmac } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { MARK, mix, type Scene } from './fuzz.js';
import type { RawRequest } from './fuzz-http.js';
import { oddText } from './fuzz-values.js';

/** An HTTP request while it is made. */
export interface Message {
  method: string;
  target: string;
  headers: [name: string, value: string][];
  /** What becomes of the body's text; null without a body. */
  pack: Pack | null;
}

type Pack = (text: string) => string | Buffer;

/** Makes something odd of what is made; `Made` has more to it than the message. */
export type Change<Made = Message> = (made: Made, scene: Scene) => void;

export const changing = <Made, T>(
  values: fc.Arbitrary<T>,
  change: (made: Made, value: T, scene: Scene) => void,
): fc.Arbitrary<Change<Made>> => values.map((value) => (made, scene) => change(made, value, scene));

export const anyOf = <T>(list: T[], number: number) => list[number % list.length];

export const finished = ({ method, target, headers, pack }: Message, text: string): RawRequest => ({
  method,
  target,
  headers,
  body: Buffer.from(pack?.(text) ?? ''),
});

/** Replaces the header, or removes it. */
function set({ headers }: Message, name: string, value?: string): void {
  const known = headers.findIndex(([each]) => each.toLowerCase() === name.toLowerCase());
  const replaced: [string, string][] = value === undefined ? [] : [[name, value]];
  headers.splice(known < 0 ? headers.length : known, known < 0 ? 0 : 1, ...replaced);
}

function carry(message: Message, pack: Pack): void {
  if (!message.pack) set(message, 'content-type', 'application/json');
  message.pack = pack;
}

const LONG = MARK.repeat(10_000);

const packs: Pack[] = [
  (text) => `[${text}]`,
  (text) => text.slice(0, -1),
  (text) => `${text}}`,
  (text) => `${text}${text}`,
  (text) => `\ufeff${text}`,
  (text) => `\0${text}`,
  (text) => ` \n\t${text}\r\n`,
  (text) => text.replaceAll('"', "'"),
  (text) => text.replaceAll('}', ',}'),
  (text) => Buffer.from(text, 'utf16le'),
  (text) => Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff, 0xc0, 0x80])]),
  (text) => Buffer.from(text.replace(/"\}/, '\xff"}'), 'latin1'),
  () => '',
  () => 'null',
  () => '[]',
  () => `"${MARK}"`,
  () => `{"${MARK}`,
  () => `${MARK}=1&title=${MARK}`,
  () => '1e999',
  () => '['.repeat(100_000),
  () => `{"title":"${MARK.repeat(70_000)}"}`,
  () => `{${'"":1,'.repeat(40_000)}"":1}`,
];

function inChunks(text: string, extension = ''): Buffer {
  const parts =
    Buffer.from(text)
      .toString('latin1')
      .match(/.{1,7}/gs) ?? [];
  const chunks = parts.map((part) => `${part.length.toString(16)}${extension}\r\n${part}\r\n`);
  return Buffer.from(`${chunks.join('')}0\r\n${MARK}: trailer\r\n\r\n`, 'latin1');
}

const asIs: Pack = (text) => text;

const encodings: [header: string, value: string, pack: Pack][] = [
  ['content-encoding', 'gzip', (text) => gzipSync(text)],
  ['content-encoding', 'deflate', (text) => deflateSync(text)],
  ['content-encoding', 'br', (text) => brotliCompressSync(text)],
  ['content-encoding', 'gzip', asIs],
  ['content-encoding', 'gzip', (text) => gzipSync(text).subarray(0, -5)],
  ['content-encoding', 'gzip', () => gzipSync(' '.repeat(20_000_000))],
  ['content-encoding', 'br', asIs],
  ['content-encoding', 'zstd', asIs],
  ['content-encoding', `gzip, ${MARK}`, (text) => gzipSync(text)],
  ['content-encoding', 'identity', asIs],
  ['transfer-encoding', 'chunked', asIs],
  ['transfer-encoding', 'gzip, chunked', asIs],
  ['transfer-encoding', MARK, asIs],
  ['transfer-encoding', 'chunked', (text) => inChunks(text)],
  ['transfer-encoding', 'chunked', (text) => inChunks(text, `;${MARK}="1"`)],
  ['transfer-encoding', 'chunked', (text) => inChunks(text, `;${LONG}`)],
  ['transfer-encoding', 'chunked', () => '0\r\n\r\n'],
  ['content-length', '1', asIs],
  ['content-length', '0', asIs],
  ['content-length', '-1', asIs],
  ['content-length', `1${MARK}`, asIs],
  ['content-type', 'application/json; charset=utf-16', (text) => Buffer.from(text, 'utf16le')],
  ['content-type', 'application/json; charset=utf-7', asIs],
  ['content-type', 'application/json; charset=utf-32', asIs],
  ['content-type', `application/json; charset=utf-${MARK}`, asIs],
  ['content-type', 'application/json; charset=latin1', (text) => Buffer.from(text, 'latin1')],
  ['content-type', 'application/json; charset="UTF-8"', asIs],
  ['content-type', 'multipart/form-data; boundary=x', (text) => `--x\r\n\r\n${text}\r\n--x--`],
  ['content-type', 'application/x-www-form-urlencoded', () => 'title=1'],
  ['content-type', '', asIs],
  ['content-type', 'json', asIs],
  ['content-type', '/', asIs],
  ['content-type', 'text/plain', asIs],
  ['content-type', `${MARK}/*`, asIs],
  ['content-type', 'application/json;', asIs],
  ['content-type', 'application/json, text/x', asIs],
];

const signedWith = (key: string, header: object, claims: object) => {
  const said = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const signature = key && createHmac('sha256', key).update(said.join('.')).digest('base64url');
  return [...said, signature].join('.');
};

/** What stands in the place of `Bearer <token>`; the last ones try to be the canary. */
const authorizations: ((token: string, canaryId: string) => string | undefined)[] = [
  () => undefined,
  () => '',
  () => 'Bearer',
  () => 'Bearer ',
  () => `Bearer ${MARK}`,
  () => `Basic ${MARK}`,
  (token) => token,
  (token) => `bearer   ${token}`,
  (token) => `Bearer ${token} ${token}`,
  (token) => `Bearer ${token}, Bearer ${token}`,
  (token) => `Bearer ${token.slice(0, -3)}`,
  (token) => `Bearer ${token.replace(/[^.]+$/, '')}`,
  (token) => `Bearer ${token}.${MARK}`,
  () => `Bearer ${'.'.repeat(2_000)}`,
  () => `Bearer é😀${MARK}`,
  () => `Bearer ${signedWith('', { alg: 'none' }, { sub: MARK })}`,
  (_token, sub) => `Bearer ${signedWith('', { alg: 'none', typ: 'JWT' }, lasting(sub))}`,
  (_token, sub) => `Bearer ${signedWith(MARK, { alg: 'HS256', typ: 'JWT' }, lasting(sub))}`,
];

/** Good whenever the clock may be. */
const lasting = (sub: string) => ({ sub, iat: 1_795_000_000, exp: 1_797_500_000 });

const headers: [name: string, value: string][] = [
  ['accept', 'application/xml'],
  ['accept', MARK],
  ['accept', '*/*;q=0'],
  ['accept-encoding', `gzip, ${MARK}`],
  ['accept-charset', 'utf-16'],
  ['x-http-method-override', 'DELETE'],
  ['x-forwarded-for', `${MARK}, 1.2.3.4`],
  ['x-forwarded-host', MARK],
  ['forwarded', `for=${MARK}`],
  ['host', ''],
  ['host', `${MARK}:99999999`],
  ['host', `${MARK} @\\/`],
  ['expect', '100-continue'],
  ['expect', MARK],
  ['upgrade', 'h2c'],
  ['upgrade', MARK],
  ['if-none-match', '*'],
  ['if-modified-since', 'Fri, 01 Jan 2100 00:00:00 GMT'],
  ['range', 'bytes=0-1'],
  ['cookie', `${MARK}=${MARK}; __proto__=1`],
  ['origin', `https://${MARK}`],
  ['connection', `${MARK}, close`],
  ['te', 'trailers'],
  ['trailer', MARK],
  ['authorization', `Bearer ${MARK}`],
  ['content-type', `text/${MARK}`],
  ['graphql-cost', '1'],
  [`${MARK} x`, MARK],
  ['__proto__', MARK],
  ['constructor', MARK],
  [MARK, `${MARK}\0`],
  [MARK, `${MARK}\r`],
  [MARK, `a\r\n ${MARK}`],
  [MARK, LONG],
  [MARK, '😀\x7f'],
  ['', MARK],
];

/** What can be odd about any message that carries JSON. */
export const messageChange = mix<Change>(
  [4, changing(fc.constantFrom(...packs), carry)],
  [1, changing(oddText, (message, text) => carry(message, () => text))],
  [
    4,
    changing(fc.constantFrom(...encodings), (message, [name, value, pack]) => {
      carry(message, pack);
      set(message, name, value);
    }),
  ],
  [
    3,
    changing(fc.constantFrom(...authorizations), (message, spell, { user, canary }) =>
      set(message, 'authorization', spell(user.token, canary?.user.id ?? '')),
    ),
  ],
  [4, changing(fc.constantFrom(...headers), ({ headers }, header) => void headers.push(header))],
  [
    1,
    changing(fc.tuple(fc.nat(5), oddText), ({ headers }, [number, value]) => {
      const chosen = anyOf(headers, number);
      if (chosen) chosen[1] = value.replaceAll(/[\r\n]/g, ' ');
    }),
  ],
  [
    1,
    changing(fc.constantFrom(50, 3_000), ({ headers }, count) => {
      for (let number = 0; number < count; number += 1) headers.push([`x-${number}`, '']);
    }),
  ],
);
