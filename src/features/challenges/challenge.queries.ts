import { type Kysely, sql } from 'kysely';
import { announce } from '../../database/announcements/announcements.js';
import { type Columns, columnsOf, type Prefixed } from '../../database/columns.js';
import { List } from '../../database/cursor.js';
import { statement } from '../../database/statement.js';
import type { AccountTables } from '../account/account.queries.js';
import { type EventKind, publish } from '../account/progress.announcement.js';
import { Challenge, type ChallengeStatus } from './challenge.entity.js';
import type { ChallengeTemplate } from './template.entity.js';
import { templateColumns } from './template.queries.js';

export type ChallengeTables = AccountTables & {
  challenge_templates: Columns<ChallengeTemplate>;
  user_challenges: Columns<Challenge, 'id'>;
};

export const challengeColumns = columnsOf(Challenge, 'linkedTaskIds');

/** A challenge with its template, as lists show it. */
export type ListedChallenge = Challenge & { template: ChallengeTemplate };

export const CHALLENGES = 'challenges';

export interface AnnouncedChallenge {
  challengeId: number;
}

/** For the transaction that changes a challenge. */
export const announceChallenge = <Tables>(
  query: Kysely<Tables>,
  kind: EventKind,
  { userId, id, at }: Pick<Challenge, 'userId' | 'id'> & { at: Date },
) => {
  const user = sql`${userId}::uuid`;
  const challenge = announce(CHALLENGES, user, sql`json_build_object('challengeId', ${id}::bigint)`);
  return sql`select ${challenge}, ${publish({ kind, userId, at, ids: { challengeId: id } })}`.execute(query);
};

/** Keeps which tasks are linked to a challenge that ends, for they may be linked to another one later. */
export const keepLinked = (query: Kysely<ChallengeTables>, { id, userId, templateId }: Challenge) =>
  sql`
    update user_challenges set linked_task_ids = coalesce((
      select array_agg(tasks.id) from tasks where user_id = ${userId} and challenge_template_id = ${templateId}
    ), '{}')
    where user_id = ${userId} and id = ${id}`.execute(query);

interface Owner {
  userId: string;
}

const selectJoined = (query: Kysely<ChallengeTables>) =>
  query
    .selectFrom('user_challenges as challenge')
    .innerJoin('challenge_templates as template', 'template.id', 'challenge.template_id');

const selectChallenges = (query: Kysely<ChallengeTables>, { userId }: Owner) =>
  selectJoined(query)
    .where('challenge.user_id', '=', userId)
    .select([...challengeColumns.of('challenge'), ...templateColumns.of('template', 'template.')]);

type Row = Challenge & Prefixed<ChallengeTemplate, 'template.'>;

export const listed = (row: Row): ListedChallenge => ({
  ...challengeColumns.from(row),
  template: templateColumns.from(row, 'template.'),
});

export const newestFirst = {
  by: ['challenge.start_date', 'challenge.id'] as const,
  order: 'desc' as const,
  positionOf: ({ startDate, id }: Pick<Challenge, 'startDate' | 'id'>) => ({ at: startDate, id }),
};

export const challenges = {
  newestFirst: new List({ ...newestFirst, all: selectChallenges }),
  withStatus: new List({
    ...newestFirst,
    all: (query: Kysely<ChallengeTables>, { userId, status }: Owner & { status: ChallengeStatus }) =>
      selectChallenges(query, { userId }).where('challenge.status', '=', status),
  }),
  byId: statement((query: Kysely<ChallengeTables>, { id, userId }: Owner & { id: number }) =>
    selectChallenges(query, { userId }).where('challenge.id', '=', id),
  ),
  byIds: statement((query: Kysely<ChallengeTables>, { ids, userId }: Owner & { ids: readonly number[] }) =>
    selectChallenges(query, { userId }).where(sql<boolean>`challenge.id = any(${ids}::bigint[])`),
  ),
  /** The status is part of the text: a plan for any status would not use the index of active challenges. */
  active: statement((query: Kysely<ChallengeTables>, { userId }: Owner) =>
    selectChallenges(query, { userId }).where('challenge.status', '=', sql.lit('ACTIVE' as const)),
  ),
};
