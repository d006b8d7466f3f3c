import type { Clock } from '../../base/clock.js';
import { FairSemaphore } from '../../base/queues/fair-semaphore.js';
import type { Database } from '../../database/database.js';
import { violates } from '../../database/violations.js';
import { announceChange } from '../account/progress.announcement.js';
import type { Zones } from '../account/zones.js';
import { challengeActive } from '../challenges/challenge.refusals.js';
import type { TemplateService } from '../challenges/template.service.js';
import { hasTasks } from '../habits/carried.js';
import { accountInUse } from '../habits/task.refusals.js';
import type { RestTables } from '../history/pauses/pause.queries.js';
import type { CarriedParts } from './export-schema.js';
import { importedFrom } from './validate-import.js';

/** How many of each were imported. */
export interface ImportCounts {
  tasks: number;
  challenges: number;
  completions: number;
  /** What of the file was there already; only into an account that may have tasks. */
  existing?: Record<'tasks' | 'challenges' | 'completions', number>;
  /** For a file of another app. */
  leftOut?: string[] | undefined;
}

/** An account without tasks, or whatever is there. */
export type ImportTarget = 'empty' | 'existing';

const COUNTED = ['tasks', 'challenges', 'completions'] as const;

export class ImportService {
  private readonly semaphore = new FairSemaphore({ size: 1 });

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly zones: Zones,
    private readonly templates: TemplateService,
    private readonly carried: CarriedParts,
  ) {}

  /** Asked before the file is read. */
  async requireMayImport(userId: string, target: ImportTarget): Promise<void> {
    if (target === 'empty' && (await hasTasks(this.database.query(), userId))) throw accountInUse();
  }

  /** All of an export, or nothing, one file at a time. */
  run(userId: string, file: Buffer, target: ImportTarget): Promise<ImportCounts> {
    return this.semaphore.withPermit(userId, () => this.bringIn(userId, file, target));
  }

  private async bringIn(userId: string, file: Buffer, target: ImportTarget): Promise<ImportCounts> {
    await this.requireMayImport(userId, target);
    const templates = await this.templates.list(userId);
    const isAdded = target === 'existing';
    const hasZone = (name: string) => this.zones.has(name);
    const here = { now: this.clock.now(), templates, hasZone, isAdded };
    const { values, bringIn, leftOut } = await importedFrom(file, here, this.carried);
    return this.database
      .transaction(async (tx) => {
        const query = tx.getKysely<RestTables>();
        const counts = await bringIn(tx.getKysely<unknown>(), userId);
        await announceChange(query, {
          kind: 'IMPORTED',
          userId,
          at: this.clock.now(),
          ids: { changedAll: true },
        });
        const countsOf = (count: (name: string) => number) =>
          Object.fromEntries(COUNTED.map((name) => [name, count(name)])) as Record<
            (typeof COUNTED)[number],
            number
          >;
        const added = countsOf((name) => counts[name] ?? 0);
        const existing = countsOf((name) => (values[name]?.length ?? 0) - (counts[name] ?? 0));
        return { ...added, ...(isAdded && { existing }), leftOut };
      })
      .catch((error: unknown) => {
        throw violates(error, 'unique', 'user_challenges_active_unique') ? challengeActive() : error;
      });
  }
}
