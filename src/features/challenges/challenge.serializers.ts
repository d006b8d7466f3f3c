import {
  field,
  inside,
  instant,
  OWNER,
  objectOf,
  optionalInstant,
  optionalText,
  quoted,
  text,
  uuid,
  whole,
} from '../../rest/serializer.js';
import { Challenge, ChallengeStatus } from './challenge.entity.js';
import type { ListedChallenge } from './challenge.queries.js';
import { ChallengeTemplate } from './template.entity.js';

const shownTemplateFields = {
  id: whole((template: ChallengeTemplate) => template.id),
  title: text((template: ChallengeTemplate) => template.title),
  description: text((template: ChallengeTemplate) => template.description),
  duration_days: whole((template: ChallengeTemplate) => template.durationDays),
};

const shownTemplateSerializer = objectOf('ShownTemplate', ChallengeTemplate, shownTemplateFields);

export const templateSerializer = objectOf<ChallengeTemplate>('ChallengeTemplate', ChallengeTemplate, {
  ...shownTemplateFields,
  created_at: instant((template) => template.createdAt),
  updated_at: instant((template) => template.updatedAt),
});

const challengeFields = {
  id: whole((challenge: Challenge) => challenge.id),
  user_id: uuid((challenge: Challenge) => challenge.userId, OWNER),
  template_id: whole(
    (challenge: Challenge) => challenge.templateId,
    'The id of the template that was accepted.',
  ),
  status: field<string>(
    { type: 'string', enum: Object.values(ChallengeStatus) },
    quoted,
  )((challenge: Challenge) => challenge.status),
  start_date: instant(
    (challenge: Challenge) => challenge.startDate,
    'When the challenge was accepted, under the name that REST has for it.',
  ),
  completed_at: optionalInstant((challenge: Challenge) => challenge.completedAt),
  notes: optionalText((challenge: Challenge) => challenge.notes),
  created_at: instant((challenge: Challenge) => challenge.createdAt),
  updated_at: instant((challenge: Challenge) => challenge.updatedAt),
};

export const challengeSerializer = objectOf<Challenge>('UserChallenge', Challenge, challengeFields);

export const listedChallengeSerializer = objectOf<ListedChallenge>('ListedUserChallenge', Challenge, {
  ...challengeFields,
  template: inside((challenge) => challenge.template, shownTemplateSerializer),
});
