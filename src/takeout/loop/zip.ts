import { crc32, inflateRawSync } from 'node:zlib';
import { invalid } from '../../errors.js';

/** Of all files that are read, in bytes: a small archive may unpack to any size. */
const MOST_UNPACKED = 64 * 1_024 * 1_024;

/** A thousand habits have two files each. */
const MOST_FILES = 10_000;

const END = { signature: 0x06054b50, size: 22, longestComment: 0xffff };
const LISTED = { signature: 0x02014b50, size: 46 };
const STORED_AT = { signature: 0x04034b50, size: 30 };

/** In a name, which a terminal may be told: it would obey. */
const NOT_PRINTED = /[\p{Cc}\p{Bidi_Control}]/u;

const IS_ENCRYPTED = 1;
const METHODS = { stored: 0, deflated: 8 };
/** What a size or a place says that only the larger form of the format (ZIP64) can hold. */
const ELSEWHERE = 0xffffffff;

/** A file as the central directory lists it. What stands before the file itself may leave its sizes out. */
interface Listed {
  flags: number;
  method: number;
  checksum: number;
  packedSize: number;
  size: number;
  at: number;
}

const damaged = () => invalid('The ZIP archive is damaged');
const tooLarge = () =>
  invalid(`The ZIP archive holds more than ${MOST_FILES} files, or ${MOST_UNPACKED} bytes`);

/** A ZIP archive: its central directory, and of the files those that are asked for. Nothing in it is trusted. */
export class Archive {
  private readonly files: Map<string, Listed>;
  private unpacked = 0;

  constructor(private readonly bytes: Buffer) {
    this.files = within(() => listedIn(bytes));
  }

  get names(): string[] {
    return [...this.files.keys()];
  }

  /** Text in UTF-8. */
  read(name: string): string {
    const file = this.files.get(name);
    if (!file) throw invalid(`The ZIP archive has no file ${name}`);
    const bytes = within(() => this.unpack(file));
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      throw invalid(`${name} is not text in UTF-8`);
    }
  }

  private unpack({ flags, method, checksum, packedSize, size, at }: Listed): Buffer {
    if (flags & IS_ENCRYPTED) throw invalid('The ZIP archive is encrypted');
    if (packedSize === ELSEWHERE || size === ELSEWHERE || at === ELSEWHERE) throw tooLarge();
    this.unpacked += size;
    if (this.unpacked > MOST_UNPACKED) throw tooLarge();
    if (this.bytes.readUInt32LE(at) !== STORED_AT.signature) throw damaged();
    const start = at + STORED_AT.size + this.bytes.readUInt16LE(at + 26) + this.bytes.readUInt16LE(at + 28);
    const packed = this.bytes.subarray(start, start + packedSize);
    if (packed.length !== packedSize) throw damaged();
    const bytes = method === METHODS.stored ? packed : inflated(packed, method, size);
    if (bytes.length !== size || crc32(bytes) !== checksum) throw damaged();
    return bytes;
  }
}

function inflated(packed: Buffer, method: number, size: number): Buffer {
  if (method !== METHODS.deflated) throw invalid('The ZIP archive is packed in a way that is not known here');
  return inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) });
}

const OUTSIDE = /^(ERR_OUT_OF_RANGE|ERR_BUFFER_OUT_OF_BOUNDS|ERR_BUFFER_TOO_LARGE|Z_.*)$/;

/** What lies outside of the archive, or cannot be unpacked to the size that is listed, is damage. */
function within<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { code } = error as { code?: unknown };
    throw OUTSIDE.test(String(code)) ? damaged() : error;
  }
}

function listedIn(bytes: Buffer): Map<string, Listed> {
  const end = endOf(bytes);
  const count = bytes.readUInt16LE(end + 10);
  if (count > MOST_FILES) throw tooLarge();
  const files = new Map<string, Listed>();
  let at = bytes.readUInt32LE(end + 16);
  for (let index = 0; index < count; index += 1) {
    if (bytes.readUInt32LE(at) !== LISTED.signature) throw damaged();
    const [nameSize = 0, ...others] = [28, 30, 32].map((place) => bytes.readUInt16LE(at + place));
    const name = bytes.toString('utf8', at + LISTED.size, at + LISTED.size + nameSize);
    if (files.has(name) || NOT_PRINTED.test(name)) throw damaged();
    files.set(name, {
      flags: bytes.readUInt16LE(at + 8),
      method: bytes.readUInt16LE(at + 10),
      checksum: bytes.readUInt32LE(at + 16),
      packedSize: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      at: bytes.readUInt32LE(at + 42),
    });
    at += LISTED.size + nameSize + others.reduce((one, other) => one + other, 0);
  }
  return files;
}

/** It is at the end, before a comment that it gives the length of. */
function endOf(bytes: Buffer): number {
  const last = bytes.length - END.size;
  for (let at = last; at >= Math.max(0, last - END.longestComment); at -= 1) {
    const isEnd = bytes.readUInt32LE(at) === END.signature;
    if (isEnd && at + END.size + bytes.readUInt16LE(at + 20) === bytes.length) return at;
  }
  throw invalid('This is not a whole ZIP archive');
}
