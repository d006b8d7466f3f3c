import { execFileSync } from 'node:child_process';
import {
  createDecipheriv,
  createECDH,
  createHash,
  createPublicKey,
  hkdfSync,
  randomBytes,
  verify,
} from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { onTestFinished } from 'vitest';

// Receivers of the tests' own, on loopback. The push service is one by RFC 8030, 8188, 8291 and 8292: it decrypts what it
// gets and checks who sent it. Those of ntfy and Apprise are built from the documents of their APIs, since their programs
// could not be had.

interface Taken {
  method: string;
  path: string;
  headers: http.IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any;
}

/** How a receiver answers: with a status, a redirect, never, or once on each connection, which it then closes unasked. */
type Manner = number | 'hangs' | 'once' | { to: string };

export class Receiver {
  readonly taken: Taken[] = [];
  manner: Manner = 200;
  /** Which of what it takes is never answered, whatever its manner. */
  hangsAt: (taken: Taken) => boolean = () => false;
  /** Done between a message's arrival and its answer, once. */
  meanwhile: (() => unknown) | undefined;
  url = '';
  private readonly answered = new WeakSet<Socket>();
  protected readonly server: http.Server;

  constructor(options?: https.ServerOptions) {
    const answer = (request: IncomingMessage, response: ServerResponse) =>
      void this.answer(request, response);
    this.server = options ? https.createServer(options, answer) : http.createServer(answer);
  }

  /** For one test. */
  async start(host = '127.0.0.1', name = host): Promise<this> {
    await this.listen(host, name);
    onTestFinished(() => this.stop());
    return this;
  }

  async listen(host = '127.0.0.1', name = host): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, host, resolve));
    const scheme = this.server instanceof https.Server ? 'https' : 'http';
    this.url = `${scheme}://${name}:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  protected read(_taken: Omit<Taken, 'body'>, body: Buffer): unknown {
    return body.length > 0 ? JSON.parse(body.toString()) : undefined;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    const { method = '', url: place = '', headers } = request;
    const taken = { method, path: place, headers, text: body.toString() };
    const whole = { ...taken, body: this.read(taken, body) };
    this.taken.push(whole);
    const { meanwhile } = this;
    this.meanwhile = undefined;
    await meanwhile?.();
    if (this.manner === 'hangs' || this.hangsAt(whole)) return;
    if (this.manner === 'once') {
      if (this.answered.has(request.socket)) return void request.socket.destroy();
      this.answered.add(request.socket);
      return void response.writeHead(200).end('{}');
    }
    if (typeof this.manner === 'number') response.writeHead(this.manner).end('{}');
    else response.writeHead(302, { Location: this.manner.to }).end();
  }
}

/** A browser that has subscribed at a push service. */
export class Browser {
  private readonly ecdh = createECDH('prime256v1');
  private readonly auth = randomBytes(16);
  readonly input: { endpoint: string; p256dh: string; auth: string };

  constructor(service: string) {
    const p256dh = this.ecdh.generateKeys().toString('base64url');
    const endpoint = `${service}/push/${randomBytes(9).toString('base64url')}`;
    this.input = { endpoint, p256dh, auth: this.auth.toString('base64url') };
  }

  get path(): string {
    return new URL(this.input.endpoint).pathname;
  }

  /** By RFC 8291. */
  decrypted(body: Buffer): unknown {
    const salt = body.subarray(0, 16);
    const keyLength = body[20] ?? 0;
    const theirs = body.subarray(21, 21 + keyLength);
    const own = this.ecdh.getPublicKey();
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), own, theirs]);
    const ikm = Buffer.from(hkdfSync('sha256', this.ecdh.computeSecret(theirs), this.auth, info, 32));
    const derived = (name: string, length: number) =>
      Buffer.from(hkdfSync('sha256', ikm, salt, Buffer.from(`Content-Encoding: ${name}\0`), length));
    const cipher = body.subarray(21 + keyLength);
    const decipher = createDecipheriv('aes-128-gcm', derived('aes128gcm', 16), derived('nonce', 12));
    decipher.setAuthTag(cipher.subarray(-16));
    const plain = Buffer.concat([decipher.update(cipher.subarray(0, -16)), decipher.final()]);
    return JSON.parse(plain.subarray(0, plain.lastIndexOf(2)).toString());
  }
}

let certificate: { key: string; cert: string; file: string } | undefined;

/** Trusted by this process from now on. */
function ownCertificate() {
  if (certificate) return certificate;
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-push-'));
  const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
  const curve = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2';
  const subject = '-subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1';
  execFileSync('openssl', `${curve} ${subject} -keyout ${key} -out ${cert}`.split(' '), { stdio: 'ignore' });
  certificate = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8'), file: cert };
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), certificate.cert]);
  return certificate;
}

export class PushService extends Receiver {
  private readonly browsers: Browser[] = [];
  /** Whom pushes came from, and what they may not say. */
  readonly faults: string[] = [];

  constructor() {
    super(ownCertificate());
  }

  /** For other processes: `NODE_EXTRA_CA_CERTS`. */
  readonly certificateFile = ownCertificate().file;

  static start = () => new PushService().start('127.0.0.1', 'localhost');

  browser(): Browser {
    const browser = new Browser(this.url);
    this.browsers.push(browser);
    return browser;
  }

  protected override read({ path: place, headers }: Omit<Taken, 'body'>, body: Buffer): unknown {
    const found = this.browsers.find((browser) => browser.path === place);
    this.checkToken(headers);
    if (headers['content-encoding'] !== 'aes128gcm') this.faults.push('not encrypted');
    if (!headers.ttl) this.faults.push('without TTL');
    return found?.decrypted(body);
  }

  /** By RFC 8292: signed by the key that is named, for this service, for a day at most, by somebody who can be reached. */
  private checkToken({ authorization = '' }: http.IncomingHttpHeaders): void {
    const [, token = '', key = ''] = /^vapid t=([^,]+), k=(.+)$/.exec(authorization) ?? [];
    const [head = '', payload = '', signature = ''] = token.split('.');
    const raw = Buffer.from(key, 'base64url');
    const [x, y] = [raw.subarray(1, 33), raw.subarray(33)].map((part) => part.toString('base64url'));
    const jwk = { kty: 'EC', crv: 'P-256', x, y } as const;
    const isSigned = verify(
      'sha256',
      Buffer.from(`${head}.${payload}`),
      { key: createPublicKey({ key: jwk as never, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    );
    if (!isSigned) this.faults.push('not signed');
    const { aud, exp, sub } = JSON.parse(Buffer.from(payload, 'base64url').toString());
    if (aud !== this.url) this.faults.push(`for ${aud}`);
    if (!/^(https:|mailto:)/.test(sub)) this.faults.push(`from ${sub}`);
    if (exp - performance.timeOrigin / 1_000 > 25 * 3_600) this.faults.push(`until ${exp}`);
  }
}

/** A port on which nobody listens. */
export async function closedPort(): Promise<string> {
  const receiver = await new Receiver().start();
  await receiver.stop();
  return receiver.url;
}

export const digest = (text: string) => createHash('sha256').update(text).digest('hex');
