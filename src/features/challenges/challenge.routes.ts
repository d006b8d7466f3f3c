import { rowId } from '../../base/validation.js';
import { AT, FIRST_ID, route, SENDER } from '../../rest/route.js';
import { listOf, longListOf, orNull } from '../../rest/serializer.js';
import { AcceptChallengeInput, ChallengeNotesInput } from './challenge.input.js';
import {
  challengeActive,
  challengeEnded,
  noChallenge,
  noTemplate,
  tooManyChallenges,
} from './challenge.refusals.js';
import {
  challengeSerializer,
  listedChallengeSerializer,
  templateSerializer,
} from './challenge.serializers.js';
import type { ChallengeService } from './challenge.service.js';
import type { TemplateService } from './template.service.js';

const shownTemplate = {
  id: 1,
  title: 'A Good Week',
  description: 'Do what you planned on seven days in a row. A week is short enough to keep every day of it.',
  duration_days: 7,
};

const template = {
  ...shownTemplate,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};

const newestTemplate = {
  id: 7,
  title: 'Sixty Strong',
  description: 'Sixty days in a row. For habits that are meant to stay.',
  duration_days: 60,
  created_at: '2026-01-01T00:00:06.000Z',
  updated_at: '2026-01-01T00:00:06.000Z',
};

const challenge = {
  id: 1,
  user_id: SENDER,
  template_id: 1,
  status: 'ACTIVE',
  start_date: AT,
  completed_at: null,
  notes: null,
  created_at: AT,
  updated_at: AT,
};

const listedChallenge = { ...challenge, template: shownTemplate };

const notedChallenge = { ...challenge, notes: 'Well begun' };

export const challengeRoutes = (templates: TemplateService, challenges: ChallengeService) => [
  route({
    method: 'get',
    path: '/challenge-templates',
    summary: 'List the challenge templates, newest first',
    access: 'READ',
    status: 200,
    answer: listOf(templateSerializer),
    example: { answer: [newestTemplate] },
    handle: ({ userId }) => templates.list(userId),
  }),
  route({
    method: 'get',
    path: '/challenge-templates/:id',
    idOf: 'template',
    summary: 'Get a challenge template',
    access: 'READ',
    status: 200,
    answer: templateSerializer,
    refuses: [noTemplate()],
    example: { answer: template },
    handle: ({ userId, params }) => templates.get(userId, rowId(params.id ?? '')),
  }),
  route({
    method: 'post',
    path: '/user-challenges/accept',
    summary: 'Accept a challenge template, which starts a challenge',
    access: 'CHALLENGES',
    body: AcceptChallengeInput,
    alsoNames: { template_id: 'templateId' },
    status: 201,
    answer: challengeSerializer,
    refuses: [challengeActive(), tooManyChallenges(), noTemplate()],
    example: { body: { templateId: FIRST_ID }, wrong: [{ templateId: 'first' }], answer: challenge },
    handle: ({ userId, body }) => challenges.accept(userId, body.templateId),
  }),
  route({
    method: 'get',
    path: '/user-challenges',
    summary: 'List your challenges, newest first',
    access: 'READ',
    status: 200,
    answer: longListOf(listedChallengeSerializer),
    example: { answer: [listedChallenge] },
    handle: ({ userId }) => challenges.list(userId),
  }),
  route({
    method: 'get',
    path: '/user-challenges/active',
    summary: 'Get your ACTIVE challenge, or null if there is none',
    access: 'READ',
    status: 200,
    answer: orNull(listedChallengeSerializer),
    example: { answer: listedChallenge },
    handle: ({ userId }) => challenges.findActive(userId),
  }),
  route({
    method: 'put',
    path: '/user-challenges/:id/notes',
    idOf: 'challenge',
    summary: 'Replace the notes of a challenge',
    access: 'CHALLENGES',
    body: ChallengeNotesInput,
    status: 200,
    answer: challengeSerializer,
    refuses: [noChallenge()],
    example: { body: { notes: 'Well begun' }, wrong: [{ notes: null }], answer: notedChallenge },
    handle: ({ userId, params, body }) => challenges.updateNotes(userId, rowId(params.id ?? ''), body.notes),
  }),
  route({
    method: 'put',
    path: '/user-challenges/:id/complete',
    idOf: 'challenge',
    summary: 'Complete a challenge',
    access: 'CHALLENGES',
    status: 200,
    answer: challengeSerializer,
    refuses: [challengeEnded('ABANDONED'), noChallenge()],
    example: { answer: { ...notedChallenge, status: 'COMPLETED', completed_at: AT } },
    handle: ({ userId, params }) => challenges.complete(userId, rowId(params.id ?? '')),
  }),
  route({
    method: 'put',
    path: '/user-challenges/:id/abandon',
    idOf: 'challenge',
    summary: 'Abandon a challenge',
    access: 'CHALLENGES',
    status: 200,
    answer: challengeSerializer,
    refuses: [challengeEnded('COMPLETED'), noChallenge()],
    example: { answer: { ...notedChallenge, status: 'ABANDONED' } },
    handle: ({ userId, params }) => challenges.abandon(userId, rowId(params.id ?? '')),
  }),
];
