import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Clock } from '../../../base/clock.js';

const CIPHER = 'aes-256-gcm';
const [NONCE_BYTES, TAG_BYTES] = [12, 16];

/** Texts that only this service can write and read, for a while: what it lets a browser keep. */
export class Sealed<Value> {
  private readonly key: Uint8Array;

  /** What is sealed for one `purpose` is worth nothing for another. */
  constructor(
    secret: string,
    private readonly purpose: string,
    private readonly goodMs: number,
    private readonly clock: Clock,
  ) {
    this.key = new Uint8Array(hkdfSync('sha256', secret, '', `steady ${purpose}`, 32));
  }

  seal(value: Value): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, nonce).setAAD(Buffer.from(this.purpose));
    const until = this.clock.now().getTime() + this.goodMs;
    const text = Buffer.concat([cipher.update(JSON.stringify({ value, until })), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
  }

  /** Undefined for what was not sealed here, or too long ago. */
  open(text: string): Value | undefined {
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined;
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const opening = createDecipheriv(CIPHER, this.key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(this.purpose))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      const opened = Buffer.concat([
        opening.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)),
        opening.final(),
      ]);
      const { value, until } = JSON.parse(opened.toString()) as { value: Value; until: number };
      return this.clock.now().getTime() < until ? value : undefined;
    } catch {
      return undefined;
    }
  }
}
