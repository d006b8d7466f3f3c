import type { Clock } from '../../base/clock.js';
import { asRequest, inBackground } from '../../base/request.js';
import type { Caller } from '../../base/scopes.js';
import type { Database } from '../../database/database.js';
import { type ApiTokenTables, noteUses, type Use } from './api-token.queries.js';

/** Between two uses of one token that are written down. */
const INTERVAL_MS = 60_000;

/** How long uses are collected for one statement. */
const DELAY_MS = 1_000;

/** Writes down when API tokens were last used, later and for all tokens together: no answer waits for it. */
export class ApiTokenUses {
  private used: Use[] = [];
  /** When each token was noted in the last minute, on the steady clock. */
  private readonly notedAt = new Map<string, number>();
  private writing: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly databaseTime: number,
  ) {}

  note({ tokenId: id, userId }: Pick<Caller, 'tokenId' | 'userId'>): void {
    const now = performance.now();
    if (this.isStopped || now - (this.notedAt.get(id) ?? Number.NEGATIVE_INFINITY) < INTERVAL_MS) return;
    this.notedAt.set(id, now);
    this.used.push({ id, userId, at: this.clock.now() });
    this.writing ??= inBackground(() => setTimeout(() => void this.write(), DELAY_MS).unref());
  }

  /** Writes down what was used, for the last time. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.writing);
    await inBackground(() => this.write());
  }

  private async write(): Promise<void> {
    const uses = this.used;
    this.used = [];
    this.writing = undefined;
    if (uses.length === 0) return;
    const past = performance.now() - INTERVAL_MS;
    for (const [id, at] of this.notedAt) if (at <= past) this.notedAt.delete(id);
    const write = () => noteUses(uses).execute(this.database.query<ApiTokenTables>());
    await asRequest(this.databaseTime, write).catch(() => {}); // it is for people's information only
  }
}
