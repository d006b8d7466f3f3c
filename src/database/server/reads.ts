import type pg from 'pg';
import { currentRequest, type Request, refuseTooMuch } from '../../request.js';
import { asStatement } from '../../telemetry/spans.js';
import { streamOf, withOutcome } from '../pool/connection.js';
import type { Shared } from '../pool/shared.js';
import { Shares } from '../pool/shares.js';
import type { Sendable } from '../statement.js';
import { Pipeline } from './pipeline.js';

/** In milliseconds: after a connection could not be made. */
const PAUSE = 250;

/** Two, so that one slow read or one lost connection does not stop all. */
const CONNECTIONS = 2;

/** How many reads one user and one request may have under way. */
const SHARES = { ofUser: 8, ofRequest: 4 };

/** In bytes: what one read may bring. More counts as several, so that large lists come one after the other. */
const SMALL = 65_536;

/** How many users are known to read much. */
const KNOWN = 1_000;

/**
 * The connections for the reads of hot paths, which lend nothing to anybody: a read that fails here, or is late, is
 * asked again over the pool, which says what came of it.
 */
export class Reads {
  private readonly pipelines: (Pipeline | undefined)[] = Array.from({ length: CONNECTIONS });
  private readonly opening = new Set<number>();
  private readonly shares: Shares;
  /** By user, in bytes: what the last reads have brought. */
  private readonly large = new Map<string, number>();
  private pauseUntil = 0;
  private isClosed = false;

  constructor(
    private readonly newClient: () => pg.Client,
    private readonly shared: Shared,
  ) {
    this.shares = new Shares(SHARES, shared);
  }

  async ask(statement: Sendable, otherwise: () => Promise<unknown[]>): Promise<unknown[]> {
    refuseTooMuch();
    const request = currentRequest();
    const before = request?.read ?? 0;
    const leave = await this.shares.take(this.weightOf(request)).catch((error: unknown) => {
      throw withOutcome(error, false);
    });
    try {
      const rows = await this.over(statement).catch(() => undefined);
      refuseTooMuch();
      return rows ?? (await otherwise());
    } finally {
      if (request) this.noteSize(request, request.read - before);
      leave();
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(this.pipelines.map((pipeline) => pipeline?.end()));
  }

  private weightOf(request: Request | null): number {
    return 1 + Math.floor((this.large.get(request?.asker ?? '') ?? 0) / SMALL);
  }

  /** How large a read is, is known too late; but whoever has read much will do so again. */
  private noteSize({ asker = '' }: Request, bytes: number): void {
    const size = Math.max(bytes, (this.large.get(asker) ?? 0) / 2);
    this.large.delete(asker);
    if (size <= SMALL) return;
    this.large.set(asker, size);
    const [oldest] = this.large.keys();
    if (this.large.size > KNOWN && oldest !== undefined) this.large.delete(oldest);
  }

  private async over(statement: Sendable): Promise<unknown[] | undefined> {
    let best: Pipeline | undefined;
    for (let at = 0; at < CONNECTIONS; at += 1) {
      const pipeline = this.at(at);
      if (pipeline?.isQuick && (!best || pipeline.size < best.size)) best = pipeline;
    }
    return best && asStatement(statement.text, () => (best as Pipeline).ask(statement));
  }

  private at(place: number): Pipeline | undefined {
    const pipeline = this.pipelines[place];
    if (pipeline?.isOfUse) return pipeline;
    if (pipeline) {
      this.pipelines[place] = undefined;
      pipeline.end().catch(() => {});
    }
    void this.open(place);
    return undefined;
  }

  private async open(place: number): Promise<void> {
    if (this.isClosed || this.opening.has(place) || performance.now() < this.pauseUntil) return;
    this.opening.add(place);
    const client = this.newClient();
    client.on('error', () => {}); // its reads fail with it, and are asked again
    try {
      await client.connect();
      this.pipelines[place] = new Pipeline(client, this.shared);
      if (this.isClosed) await client.end();
    } catch {
      this.pauseUntil = performance.now() + PAUSE;
      streamOf(client).destroy();
    } finally {
      this.opening.delete(place);
    }
  }
}
