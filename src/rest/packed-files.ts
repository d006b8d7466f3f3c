import { once } from 'node:events';
import { createGunzip, createGzip } from 'node:zlib';
import { overloaded, tooManyAtOnce } from '../errors.js';
import { Receiving } from '../http/receiving.js';

export const underWay = () => tooManyAtOnce('An export of this account is under way already', 1);

/** In bytes, of all files that are being sent. */
const ROOM = 64 * 1_024 * 1_024;

/**
 * Holds exports, packed, until their clients have read them: what is read of the database must not wait for somebody
 * with a slow connection, and 100,000 completions are one megabyte so. When there is no more room, the export that has
 * held the most bytes for the longest is given up: so slow readers keep no others out.
 */
export class PackedFiles {
  private readonly owners = new Set<string>();
  private readonly holders: Receiving;

  constructor(room = ROOM) {
    this.holders = new Receiving(room);
  }

  /** One at a time for each user. `work` fills it, and sends it; `giveUp` ends that. */
  async use<T>(owner: string, work: (packed: PackedFile) => Promise<T>, giveUp: () => void): Promise<T> {
    if (this.owners.has(owner)) throw underWay();
    this.owners.add(owner);
    const packed: PackedFile = new PackedFile(
      this.holders.follow(() => {
        packed.giveUp();
        giveUp();
      }),
    );
    try {
      return await work(packed);
    } finally {
      this.owners.delete(owner);
      packed.giveUp();
    }
  }
}

export class PackedFile {
  private size = 0;
  private pieces: Buffer[] = [];
  private isGivenUp = false;
  private readonly gzip = createGzip({ level: 1 });

  /** `hold` is told how many bytes are held. */
  constructor(private readonly hold: (bytes: number) => void) {
    this.gzip.on('data', (piece: Buffer) => {
      if (this.isGivenUp) return;
      this.pieces.push(piece);
      this.count(piece.length);
    });
  }

  async add(text: string): Promise<void> {
    this.refuseGivenUp();
    if (text !== '' && !this.gzip.write(text)) await once(this.gzip, 'drain');
  }

  async end(): Promise<void> {
    this.gzip.end();
    await once(this.gzip, 'end');
    this.refuseGivenUp();
  }

  /** To be piped to whoever reads it. What has been read is held no longer. */
  unpacked() {
    const gunzip = createGunzip();
    const feed = async () => {
      for (let piece = this.pieces.shift(); piece; piece = this.pieces.shift()) {
        const isFull = !gunzip.write(piece);
        this.count(-piece.length);
        if (isFull) await once(gunzip, 'drain');
      }
      this.refuseGivenUp();
      gunzip.end();
    };
    feed().catch((error: Error) => gunzip.destroy(error));
    return gunzip;
  }

  giveUp(): void {
    if (this.isGivenUp) return;
    this.isGivenUp = true;
    this.pieces = [];
    this.count(-this.size);
  }

  private refuseGivenUp(): void {
    if (this.isGivenUp) throw overloaded();
  }

  private count(bytes: number): void {
    this.size += bytes;
    this.hold(this.size);
  }
}
