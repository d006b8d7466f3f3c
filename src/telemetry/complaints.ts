import { type DiagLogger, DiagLogLevel, diag } from '@opentelemetry/api';

/** In milliseconds: a line for each batch of spans that nobody takes would be a flood. */
const INTERVAL = 300_000;

/** In characters: a receiver chooses some of the words. */
const LONGEST = 300;

const nothing = () => {};

interface ComplaintsSettings {
  /** Texts that must not be shown: the values of headers hold tokens. */
  secrets: readonly string[];
  onWarning: (line: string) => void;
}

/** Tells the operator what the SDK says of its settings and of its sending, which it would keep to itself. */
export class Complaints implements DiagLogger {
  readonly info = nothing;
  readonly debug = nothing;
  readonly verbose = nothing;
  /** What is wrong with the settings, all in one line; undefined once that is written. */
  private ofSettings: string[] | undefined = [];
  private toldAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly settings: ComplaintsSettings) {}

  /** In the place of any logger that the SDK has set. */
  listen(): void {
    diag.setLogger(this, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  }

  readonly warn = (...said: unknown[]): void => this.hear(said);
  readonly error = (...said: unknown[]): void => this.hear(said);

  /** The SDK has read its settings. */
  settingsAreRead(): void {
    const found = new Set(this.ofSettings);
    this.ofSettings = undefined;
    if (found.size > 0)
      this.tell(`What OTEL_… says of traces is not all understood: ${[...found].join('; ')}`);
  }

  notStarted(error: unknown): void {
    this.ofSettings = undefined;
    this.tell(`No traces are made: what OTEL_… says cannot be done: ${this.clean(reasonIn(error))}`);
  }

  /** At most one line in a while. */
  notSent(error: unknown): void {
    const now = performance.now();
    if (now - this.toldAt < INTERVAL) return;
    this.toldAt = now;
    this.tell(
      `Traces are not sent as they should be, and the service goes on: ${this.clean(reasonIn(error))}`,
    );
  }

  private hear(said: unknown[]): void {
    const text = said.filter((each) => typeof each === 'string').join(' ');
    if (text.startsWith(OVERWRITTEN)) return;
    if (this.ofSettings) this.ofSettings.push(this.clean(text));
    else this.notSent(asError(text));
  }

  /** Nor what an address may hold: a log-in before its host, a token behind its path. */
  private clean(text: string): string {
    return this.settings.secrets
      .reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
      .replaceAll(/[^\s'"]*@/g, '…@')
      .replaceAll(/\?[^\s'"]+/g, '?…')
      .replaceAll(/\s+/g, ' ')
      .trim();
  }

  private tell(line: string): void {
    this.settings.onWarning(line.slice(0, LONGEST));
  }
}

/** What is said when one logger takes the place of another. */
const OVERWRITTEN = 'Current logger will';

/** Of an address with several hosts the error has a code and no message. */
function reasonIn(error: unknown): string {
  const { message = '', code = '' } = error as { message?: string; code?: string };
  return code && message && !message.includes(code) ? `${message} (${code})` : message || `${code}`;
}

/** The SDK writes an error as JSON, with its stack and with the answer of the receiver. */
function asError(text: string): { message?: string; code?: string } {
  try {
    const found: unknown = JSON.parse(text);
    if (typeof found === 'object' && found !== null) return found;
  } catch {
    // It is a sentence.
  }
  return { message: text };
}
