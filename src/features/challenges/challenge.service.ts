import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager as EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Clock } from '../../base/clock.js';
import { countUpTo } from '../../database/columns.js';
import { type Chunk, chunkOf, type Page, type PageRequest } from '../../database/cursor.js';
import type { Database } from '../../database/database.js';
import { violates } from '../../database/violations.js';
import type { AccountService } from '../account/account.service.js';
import { Challenge, type ChallengeStatus } from './challenge.entity.js';
import {
  announceChallenge,
  type ChallengeTables,
  challengeColumns,
  challenges,
  keepLinked,
  type ListedChallenge,
  listed,
  newestFirst,
} from './challenge.queries.js';
import {
  challengeActive,
  challengeEnded,
  noActiveChallenge,
  noChallenge,
  noTemplate,
  tooManyChallenges,
} from './challenge.refusals.js';
import { challengeLimits } from './limits.js';
import { ChallengeTemplate } from './template.entity.js';

const ENDED = {
  ACTIVE: 'CHALLENGE_CHANGED',
  COMPLETED: 'CHALLENGE_COMPLETED',
  ABANDONED: 'CHALLENGE_ABANDONED',
} as const;

export class ChallengeService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly accounts: AccountService,
  ) {}

  /** A unique index allows one ACTIVE challenge per user, however many requests race. */
  async accept(userId: string, templateId: number): Promise<Challenge> {
    const now = this.clock.now();
    const accepted = await this.database
      .transaction(async (tx) => {
        const query = tx.getKysely<ChallengeTables>();
        await this.accounts.lock(query, userId); // serialises the requests of a user, so that the limit is exact
        const { rows } = await sql<Challenge>`
          insert into user_challenges (user_id, template_id, status, start_date, created_at, updated_at)
          select ${userId}::uuid, template.id, 'ACTIVE', ${now}::timestamptz, ${now}::timestamptz, ${now}::timestamptz
          from (select id from challenge_templates where id = ${templateId} offset 0) as template, -- on Citus, a plain join finds nothing
            ${countUpTo('user_challenges', userId, challengeLimits.challenges)}
          where counted.rows < ${challengeLimits.challenges}
          returning ${challengeColumns.textOf('user_challenges')}
        `.execute(query);
        const [accepted] = rows;
        if (!accepted) return this.refuse(tx, templateId);
        await announceChallenge(query, 'CHALLENGE_ACCEPTED', { userId, id: accepted.id, at: now });
        return accepted;
      })
      .catch((error: unknown) => {
        const isSecond = violates(error, 'unique', 'user_challenges_active_unique');
        throw isSecond ? challengeActive() : error;
      });
    return challengeColumns.from(accepted);
  }

  /** Newest first, read in chunks. */
  list(userId: string): Promise<Chunk<ListedChallenge>> {
    return chunkOf((request) => this.page(userId, request));
  }

  page(userId: string, request: PageRequest, status: ChallengeStatus | null = null): Page<ListedChallenge> {
    const whenEmpty = () => this.accounts.assertExists(userId);
    const page = status
      ? challenges.withStatus.page(this.database, { userId, status }, request, whenEmpty)
      : challenges.newestFirst.page(this.database, { userId }, request, whenEmpty);
    return { ...page, rows: async () => (await page.rows()).map(listed), positionOf: newestFirst.positionOf };
  }

  async find(userId: string, id: number): Promise<ListedChallenge | null> {
    const [row] = await this.database.run(challenges.byId, { id, userId });
    return row ? listed(row) : null;
  }

  /** Null for one that is none of the user's. */
  async findEach(userId: string, ids: readonly number[]): Promise<(ListedChallenge | null)[]> {
    const found = await this.database.run(challenges.byIds, { ids, userId });
    const byId = new Map(found.map((row) => [row.id, listed(row)]));
    return ids.map((id) => byId.get(id) ?? null);
  }

  async findActive(userId: string): Promise<ListedChallenge | null> {
    const [row] = await this.database.run(challenges.active, { userId });
    return row ? listed(row) : null;
  }

  updateNotes(userId: string, id: number, notes: string): Promise<Challenge> {
    return this.change(userId, id, async () => ({ notes }));
  }

  complete(userId: string, id: number): Promise<Challenge> {
    return this.end(userId, id, 'COMPLETED');
  }

  abandon(userId: string, id: number): Promise<Challenge> {
    return this.end(userId, id, 'ABANDONED');
  }

  /** Locks the challenge until `tx` ends, so that it cannot end before a task linked to it is committed. */
  async assertActive(tx: EntityManager, userId: string, templateId: number): Promise<void> {
    if (!(await tx.findOne(ChallengeTemplate, { id: templateId }))) throw noTemplate('challengeTemplateId');
    const active = await tx.findOne(
      Challenge,
      { userId, templateId, status: 'ACTIVE' },
      { lockMode: LockMode.PESSIMISTIC_READ },
    );
    if (!active) throw noActiveChallenge();
  }

  /** Call it when nothing was inserted: the template does not exist, or the limit is reached. */
  private async refuse(tx: EntityManager, templateId: number): Promise<never> {
    const isKnown = (await tx.count(ChallengeTemplate, { id: templateId })) > 0;
    throw isKnown ? tooManyChallenges() : noTemplate('templateId');
  }

  /** Idempotent: ending a challenge again in the same way changes nothing. */
  private end(userId: string, id: number, status: 'COMPLETED' | 'ABANDONED'): Promise<Challenge> {
    return this.change(userId, id, async (challenge, now, tx) => {
      if (challenge.status === status) return null;
      if (challenge.status !== 'ACTIVE') throw challengeEnded(challenge.status);
      await keepLinked(tx.getKysely(), challenge);
      return { status, completedAt: status === 'COMPLETED' ? now : null };
    });
  }

  private async change(
    userId: string,
    id: number,
    changesOf: (challenge: Challenge, now: Date, tx: EntityManager) => Promise<Partial<Challenge> | null>,
  ): Promise<Challenge> {
    const changed = await this.database.transaction(async (tx) => {
      const challenge = await tx.findOne(Challenge, { id, userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!challenge) return null;
      const now = this.clock.now();
      const changes = await changesOf(challenge, now, tx);
      if (changes) {
        tx.assign(challenge, { ...changes, updatedAt: now });
        const kind = changes.status ? ENDED[changes.status] : 'CHALLENGE_CHANGED';
        await announceChallenge(tx.getKysely(), kind, { userId, id, at: now });
      }
      return challenge;
    });
    if (!changed) throw noChallenge();
    return changed;
  }
}
