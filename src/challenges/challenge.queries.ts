import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { AccountTables } from '../accounts/account.queries.js';
import { announce } from '../database/announcements.js';
import type { Columns } from '../database/tables.js';
import type { Challenge } from './challenge.entity.js';
import type { ChallengeTemplate } from './template.entity.js';

export type ChallengeTables = AccountTables & {
  challenge_templates: Columns<ChallengeTemplate>;
  user_challenges: Columns<Challenge, 'id'>;
};

/** A challenge as lists show it. */
export type ListedChallenge = Challenge & { template: ChallengeTemplate };

export const CHALLENGES = 'challenges';

export interface AnnouncedChallenge {
  challengeId: number;
}

/** For the statement or the transaction that changes a challenge. */
export const announceChallenge = (userId: RawBuilder<unknown>, id: RawBuilder<unknown>) =>
  announce(CHALLENGES, userId, sql`json_build_object('challengeId', ${id})`);

/** The order of lists of challenges, newest first. */
export const challengeKey = sql`(challenge.start_date, challenge.id)`;

const selectJoined = (query: Kysely<ChallengeTables>) =>
  query
    .selectFrom('user_challenges as challenge')
    .innerJoin('challenge_templates as template', 'template.id', 'challenge.template_id');

export const selectChallenges = (query: Kysely<ChallengeTables>, userId: string) =>
  selectJoined(query)
    .where('challenge.user_id', '=', userId)
    .select([
      'challenge.id',
      'challenge.user_id as userId',
      'challenge.template_id as templateId',
      'challenge.status',
      'challenge.start_date as startDate',
      'challenge.completed_at as completedAt',
      'challenge.notes',
      'challenge.created_at as createdAt',
      'challenge.updated_at as updatedAt',
      'template.title as templateTitle',
      'template.description as templateDescription',
      'template.duration_days as templateDurationDays',
      'template.created_at as templateCreatedAt',
      'template.updated_at as templateUpdatedAt',
    ])
    .orderBy('challenge.start_date', 'desc')
    .orderBy('challenge.id', 'desc');

type Row = Awaited<ReturnType<ReturnType<typeof selectChallenges>['execute']>>[number];

export const listed = ({
  templateTitle,
  templateDescription,
  templateDurationDays,
  templateCreatedAt,
  templateUpdatedAt,
  ...challenge
}: Row): ListedChallenge => ({
  ...challenge,
  template: {
    id: challenge.templateId,
    title: templateTitle,
    description: templateDescription,
    durationDays: templateDurationDays,
    createdAt: templateCreatedAt,
    updatedAt: templateUpdatedAt,
  },
});
