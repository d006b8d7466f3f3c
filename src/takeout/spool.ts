import { once } from 'node:events';
import { createGunzip, createGzip } from 'node:zlib';
import { overloaded, tooManyAtOnce } from '../errors.js';

/** In bytes, of all exports that are being sent. */
const ROOM = 64 * 1_024 * 1_024;

/**
 * Holds exports, packed, until their clients have read them: what is read of the database must not wait for somebody
 * with a slow connection, and 100,000 completions are one megabyte so.
 */
export class Spool {
  private readonly owners = new Set<string>();
  private held = 0;

  /** One at a time for each user. `work` fills it, and sends it. */
  async use<T>(owner: string, work: (packed: Packed) => Promise<T>): Promise<T> {
    if (this.owners.has(owner)) throw tooManyAtOnce('An export of this account is under way already');
    if (this.held > ROOM) throw overloaded();
    this.owners.add(owner);
    const packed = new Packed((bytes) => {
      this.held += bytes;
    });
    try {
      return await work(packed);
    } finally {
      this.owners.delete(owner);
      this.held -= packed.size;
    }
  }
}

export class Packed {
  size = 0;
  private readonly pieces: Buffer[] = [];
  private readonly gzip = createGzip({ level: 1 });

  constructor(private readonly hold: (bytes: number) => void) {
    this.gzip.on('data', (piece: Buffer) => {
      this.pieces.push(piece);
      this.size += piece.length;
      this.hold(piece.length);
    });
  }

  async add(text: string): Promise<void> {
    if (text !== '' && !this.gzip.write(text)) await once(this.gzip, 'drain');
  }

  async end(): Promise<void> {
    this.gzip.end();
    await once(this.gzip, 'end');
  }

  /** To be piped to whoever reads it. */
  unpacked() {
    const gunzip = createGunzip();
    const feed = async () => {
      for (const piece of this.pieces) if (!gunzip.write(piece)) await once(gunzip, 'drain');
      gunzip.end();
    };
    feed().catch((error: Error) => gunzip.destroy(error));
    return gunzip;
  }
}
