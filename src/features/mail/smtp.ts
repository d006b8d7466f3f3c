import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SmtpServer } from './smtp-url.js';

/**
 * What became of a mail. UNKNOWN: it was handed over, and nobody has said whether it was accepted. LOST: the connection
 * ended before. CLOSING: the server takes nothing more.
 */
export type Delivery =
  | { outcome: 'ACCEPTED' | 'UNKNOWN' | 'LOST' | 'CLOSING' }
  /** `code` is that of SMTP, such as 550; undefined where no server was asked. */
  | { outcome: 'REFUSED'; code: number | undefined };

export interface Envelope {
  from: string;
  to: string;
}

/** A server that takes a message in may scan it first. */
const PATIENCE_MS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };

interface SmtpError extends Error {
  code?: string;
  responseCode?: number;
}

/** Why a mail server cannot be used, without what it says: servers quote addresses. */
export function smtpReason(error: unknown): string {
  const { code, responseCode } = error as SmtpError;
  return [code, responseCode].filter(Boolean).join(' ') || 'UNKNOWN';
}

/** One connection to the mail server. */
export class SmtpSession {
  private constructor(
    private readonly connection: SMTPConnection,
    private readonly giveUp: AbortSignal,
  ) {}

  /** Rejects if the server cannot be reached, is not who it should be, or does not take the password. */
  static async open(server: SmtpServer, giveUp: AbortSignal): Promise<SmtpSession> {
    const { user, password } = server;
    const connection = new SMTPConnection(optionsOf(server));
    let stop = () => {};
    const lost = new Promise<never>((_, reject) => {
      connection.on('error', reject); // also keeps an error that comes later from ending the process
      connection.once('end', () => reject(Object.assign(new Error('Closed'), { code: 'ECONNRESET' })));
      stop = () => reject(new Error('The service stops'));
    });
    giveUp.addEventListener('abort', stop);
    const opened = new Promise<void>((resolve, reject) => {
      const end = (error?: Error | null) => (error ? reject(error) : resolve());
      connection.connect((error) => {
        if (error || user === undefined) return end(error);
        connection.login({ user, pass: password ?? '' }, end);
      });
    });
    try {
      await Promise.race([opened, lost]);
      return new SmtpSession(connection, giveUp);
    } catch (error) {
      connection.close();
      throw error;
    } finally {
      giveUp.removeEventListener('abort', stop);
    }
  }

  get isEncrypted(): boolean {
    return this.connection.secure;
  }

  /**
   * `hand` is called when the server has agreed to take the text, before the first byte of it goes out; if it rejects,
   * none does.
   */
  deliver(envelope: Envelope, text: Buffer, hand: () => Promise<void>): Promise<Delivery> {
    let isHanded = false;
    const message = Readable.from(
      (async function* () {
        await hand();
        isHanded = true;
        yield text;
      })(),
    );
    return new Promise((resolve) => {
      const unsaid = () => resolve({ outcome: isHanded ? 'UNKNOWN' : 'LOST' });
      this.giveUp.addEventListener('abort', unsaid, { once: true });
      this.connection.send(envelope, message, (error) => {
        this.giveUp.removeEventListener('abort', unsaid);
        const { code, responseCode } = (error ?? {}) as SmtpError;
        if (!error) return resolve({ outcome: 'ACCEPTED' });
        if (responseCode === SHUTTING_DOWN) return resolve({ outcome: 'CLOSING' });
        if (responseCode || code === 'EENVELOPE') return resolve({ outcome: 'REFUSED', code: responseCode });
        unsaid();
      });
    });
  }

  close(): void {
    this.connection.quit();
    this.connection.close();
  }
}

const optionsOf = ({ host, port, isSecure, tls }: SmtpServer) => ({
  ...{ host, port, secure: isSecure, ...PATIENCE_MS },
  ...(tls === 'off' && { ignoreTLS: true }),
  ...(tls === 'require' && { requireTLS: true }),
  ...(tls === 'insecure' && { tls: { rejectUnauthorized: false } }),
});

/** The server's word, at any time, that it takes nothing more. */
const SHUTTING_DOWN = 421;
