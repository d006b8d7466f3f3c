import type pg from 'pg';
import { refuseTooMuch } from '../../request.js';
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

/**
 * The connections for the reads of hot paths, which lend nothing to anybody: a read that fails here, or is late, is
 * asked again over the pool, which says what came of it.
 */
export class Reads {
  private readonly pipelines: (Pipeline | undefined)[] = Array.from({ length: CONNECTIONS });
  private readonly opening = new Set<number>();
  private readonly shares: Shares;
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
    const leave = await this.shares.take().catch((error: unknown) => {
      throw withOutcome(error, false);
    });
    const asked = this.over(statement).finally(leave);
    const rows = await asked.catch(() => undefined);
    refuseTooMuch();
    return rows ?? otherwise();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(this.pipelines.map((pipeline) => pipeline?.end()));
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
