import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';
import type { Database } from '../../src/database/database.js';
import { configOf } from './database.js';
import { eventually } from './eventually.js';
import { listening } from './listening.js';

const decoded = (part: string) => {
  const [head = '', ...rest] = part.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString();
  if (!/quoted-printable/i.test(head)) return body;
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([\dA-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
};

const subjectIn = (raw: string) =>
  (/^Subject: ((?:.|\r\n[ \t])*)$/m.exec(raw)?.[1] ?? '')
    .replace(/\r\n[ \t]/g, ' ')
    .replace(/\?=\s+=\?UTF-8\?Q\?/g, '')
    .replace(/=\?UTF-8\?Q\?(.*?)\?=/g, (_, words) =>
      decoded(`quoted-printable\r\n\r\n${words.replaceAll('_', ' ')}`),
    )
    .replace(/=\?UTF-8\?B\?(.*?)\?=/g, (_, words) => Buffer.from(words, 'base64').toString());

type Caught = ReturnType<typeof caughtFrom>;

/** A mail as it arrived: the plain text and its twin, decoded. */
function caughtFrom(raw: string, from: string, to: string[]) {
  const [, boundary = ''] = /boundary="([^"]+)"/.exec(raw) ?? [];
  const parts = raw.split(`--${boundary}`);
  const part = (type: string) =>
    decoded(parts.find((each) => each.includes(`Content-Type: ${type}`))?.trim() ?? '');
  const [plain, html] = [part('text/plain'), part('text/html')];
  return { from, to, subject: subjectIn(raw), text: plain.replaceAll('\r\n', '\n'), html, raw };
}

/** A mail server on this machine that keeps what it accepts. */
export class MailCatcher {
  readonly caught: Caught[] = [];
  private server: SMTPServer | undefined;
  port = 0;
  private readonly sockets = new Set<Socket>();

  async start(options: SMTPServerOptions = {}): Promise<this> {
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      logger: false,
      closeTimeout: 100,
      onData: (stream, { envelope }, done) => {
        text(stream).then((raw) => {
          const from = envelope.mailFrom ? envelope.mailFrom.address : '';
          const to = envelope.rcptTo.map(({ address }) => address);
          this.caught.push(caughtFrom(raw, from, to));
          done();
        }, done);
      },
      ...options,
    });
    server.on('error', () => {}); // a client that goes
    server.server.on('connection', (socket: Socket) => this.sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.server.address() as AddressInfo).port;
    this.server = server;
    return this;
  }

  /** Ends it as a loss of power does. */
  async kill(): Promise<void> {
    this.cut();
    await this.stop();
  }

  /** Ends all connections, as some servers do instead of refusing. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    return new Promise((resolve) => (server ? server.close(resolve) : resolve()));
  }

  /** The mails to an address, once there are so many. */
  async mailsTo(address: string, count = 1): Promise<Caught[]> {
    const found = () => this.caught.filter(({ to }) => to.includes(address));
    await eventually(() => found().length >= count);
    return found();
  }

  /** What stands in the link of the last mail to an address. */
  async secretFor(address: string, fragment: string, count = 1): Promise<string> {
    const mail = (await this.mailsTo(address, count)).at(-1);
    const [, secret] = new RegExp(`#${fragment}=(\\S+)`).exec(mail?.text ?? '') ?? [];
    if (!secret) throw new Error(`No link with ${fragment} in: ${mail?.text}`);
    return secret;
  }
}

export async function mailCatcher(options?: SMTPServerOptions): Promise<MailCatcher> {
  const catcher = await new MailCatcher().start(options);
  onTestFinished(() => catcher.stop());
  return catcher;
}

export const PUBLIC_URL = 'https://habits.example.com/app';

/** The settings of a service that sends its mails there. */
export const configWithMail = ({ port }: { port: number }, environment: Record<string, string> = {}) =>
  configOf({
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'Steady <habits@example.com>',
    PUBLIC_URL,
    TRUST_PROXY: '1',
    ...environment,
  });

export async function mailsWaiting(database: Database): Promise<number | undefined> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from jobs where kind = 'mail'`.execute(database.query());
  return rows[0]?.count;
}

/** What people send who have no session. */
export const DOCUMENTS = {
  requestPasswordReset: 'mutation ($email: String!) { requestPasswordReset(email: $email) { requested } }',
  resetPassword:
    'mutation ($token: String!, $newPassword: String!) { resetPassword(token: $token, newPassword: $newPassword) { email } }',
  confirmEmail:
    'mutation ($token: String!) { confirmEmail(token: $token) { user { id email emailConfirmedAt } } }',
  undoEmailChange: 'mutation ($token: String!) { undoEmailChange(token: $token) { email } }',
};

/** A server that takes connections and says nothing. */
export async function silentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  const port = await listening(server);
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  onTestFinished(stop);
  return { port, sockets, stop };
}
