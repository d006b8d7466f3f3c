import { sql } from 'kysely';
import { carried, DayText, type Here, InstantText, inFuture, inPages } from '../../base/carried.js';
import type { Problem } from '../../base/carried-file.js';
import { Clearable, Id, limits, OneOf, Text } from '../../base/validation.js';
import { columnsOf, insertAll, isoOf } from '../../database/columns.js';
import { isDayOf } from '../schedules/day.js';
import { fixedDayOf } from '../schedules/days.queries.js';
import { Challenge, ChallengeStatus } from './challenge.entity.js';
import { tooManyChallenges } from './challenge.refusals.js';
import { challengeLimits } from './limits.js';

export class ImportedChallenge {
  @Id()
  templateId!: number;

  @Clearable()
  @Text()
  templateTitle?: string | null;

  @OneOf(Object.values(ChallengeStatus))
  status!: ChallengeStatus;

  @InstantText()
  startDate!: string;

  /** Earlier releases left it out. */
  @Clearable()
  @DayText()
  startedOn?: string | null;

  @Clearable()
  @InstantText()
  completedAt?: string | null;

  @Clearable()
  @Text({ max: limits.notes })
  notes?: string | null;

  @InstantText()
  createdAt!: string;

  @InstantText()
  updatedAt!: string;
}

export const meaningOfTitle =
  'By which another server finds the template; earlier releases wrote the id alone.';

export const titleOf = (template: string) =>
  sql`(select title from challenge_templates where challenge_templates.id = ${sql.ref(template)})`;

/** The id here of a template in a file, which names it by its title, too, since ids are those of another server. */
export const templateHere = (
  { templates }: Here,
  id: number,
  title: string | null = null,
): number | undefined => {
  const fits = (template: Here['templates'][number]) =>
    title === null ? template.id === id : template.title === title;
  const fitting = templates.filter(fits).map((template) => template.id);
  return fitting.find((each) => each === id) ?? fitting.at(0);
};

export const noTemplate = 'The challenge template is not known here';

const exportedOfChallenge = columnsOf(Challenge, 'id', 'userId', 'startedOn', 'linkedTaskIds');

function problemOf(challenge: ImportedChallenge, here: Here): Problem {
  const {
    templateId,
    templateTitle,
    status,
    startDate,
    startedOn,
    completedAt = null,
    createdAt,
    updatedAt,
  } = challenge;
  if ((status === 'COMPLETED') !== (completedAt !== null))
    return ['completedAt', 'Completed at must be set if it is completed'];
  const id = templateHere(here, templateId, templateTitle);
  if (id === undefined) return ['templateId', noTemplate];
  challenge.templateId = id;
  if (startedOn && !isDayOf(new Date(startDate), startedOn))
    return ['startedOn', 'Started on must be a day of start date, in some time zone'];
  return inFuture(here, { startDate, completedAt, createdAt, updatedAt });
}

export const carriedChallenges = carried({
  name: 'challenges',
  type: ImportedChallenge,
  list: { label: 'Challenge', most: challengeLimits.challenges },
  said: { templateTitle: meaningOfTitle, startedOn: 'The day of the user on which it was accepted.' },
  about: 'Oldest first.',
  exported: (query, exported) =>
    inPages(
      query,
      sql<{ challenge: object }>`
        select json_build_object(${exportedOfChallenge.fieldsOf('user_challenges')},
          'startedOn', ${fixedDayOf(exported, 'startedOn')},
          'templateTitle', ${titleOf('user_challenges.template_id')}) as challenge
        from user_challenges where user_id = ${exported.userId} order by start_date, id`,
      { characters: limits.notes, textOf: ({ challenge }) => JSON.stringify(challenge) },
    ),
  problemIn(here) {
    let active = 0;
    return (challenge) => {
      const isActive = challenge.status === 'ACTIVE';
      if (isActive) active += 1;
      return isActive && active > 1 ? ['status', 'Only one may be active'] : problemOf(challenge, here);
    };
  },
  /**
   * One that is there already is not inserted again. An insert that reads a table would be carried out by a node of
   * Citus, which numbers rows by itself.
   */
  async bringIn(challenges, query, { userId }) {
    const { rows } = await sql<ChallengeKey>`
      select template_id as "templateId", ${isoOf(sql`start_date`)} as "startDate", ${isoOf(sql`created_at`)} as "createdAt"
      from user_challenges where user_id = ${userId}`.execute(query);
    if (rows.length + challenges.length > challengeLimits.challenges) throw tooManyChallenges();
    const there = new Set(rows.map(keyOf));
    const items = challenges.filter((challenge) => !there.has(keyOf(challenge)));
    await insertAll(query, Challenge, { into: 'user_challenges', userId, items, rowOf: (item) => item });
    return items.length;
  },
});

type ChallengeKey = Pick<ImportedChallenge, 'templateId' | 'startDate' | 'createdAt'>;

const keyOf = ({ templateId, startDate, createdAt }: ChallengeKey) =>
  [templateId, Date.parse(startDate), Date.parse(createdAt)].join();
