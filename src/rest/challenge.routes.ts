import { AcceptChallengeInput, ChallengeNotesInput } from '../challenges/challenge.input.js';
import {
  challengeActive,
  challengeEnded,
  noChallenge,
  noTemplate,
  tooManyChallenges,
} from '../challenges/challenge.refusals.js';
import type { ChallengeService } from '../challenges/challenge.service.js';
import type { TemplateService } from '../challenges/template.service.js';
import { rowId } from '../validation.js';
import { route } from './route.js';
import { challengeShape, listedChallengeShape, listOf, longListOf, orNull, templateShape } from './shapes.js';

export const challengeRoutes = (templates: TemplateService, challenges: ChallengeService) => [
  route({
    method: 'get',
    path: '/challenge-templates',
    summary: 'List the challenge templates, newest first',
    access: 'READ',
    status: 200,
    answer: listOf(templateShape),
    handle: ({ userId }) => templates.list(userId),
  }),
  route({
    method: 'get',
    path: '/challenge-templates/:id',
    idOf: 'template',
    summary: 'Get a challenge template',
    access: 'READ',
    status: 200,
    answer: templateShape,
    refuses: [noTemplate()],
    handle: ({ userId, params }) => templates.get(userId, rowId(params.id ?? '')),
  }),
  route({
    method: 'post',
    path: '/user-challenges/accept',
    summary: 'Accept a challenge template, which starts a challenge',
    access: 'CHALLENGES',
    body: AcceptChallengeInput,
    status: 201,
    answer: challengeShape,
    refuses: [challengeActive(), tooManyChallenges(), noTemplate()],
    handle: ({ userId, body }) => challenges.accept(userId, body.templateId),
  }),
  route({
    method: 'get',
    path: '/user-challenges',
    summary: 'List your challenges, newest first',
    access: 'READ',
    status: 200,
    answer: longListOf(listedChallengeShape),
    handle: ({ userId }) => challenges.list(userId),
  }),
  route({
    method: 'get',
    path: '/user-challenges/active',
    summary: 'Get your ACTIVE challenge, or null if there is none',
    access: 'READ',
    status: 200,
    answer: orNull(listedChallengeShape),
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
    answer: challengeShape,
    refuses: [noChallenge()],
    handle: ({ userId, params, body }) => challenges.updateNotes(userId, rowId(params.id ?? ''), body.notes),
  }),
  route({
    method: 'put',
    path: '/user-challenges/:id/complete',
    idOf: 'challenge',
    summary: 'Complete a challenge',
    access: 'CHALLENGES',
    status: 200,
    answer: challengeShape,
    refuses: [challengeEnded('ABANDONED'), noChallenge()],
    handle: ({ userId, params }) => challenges.complete(userId, rowId(params.id ?? '')),
  }),
  route({
    method: 'put',
    path: '/user-challenges/:id/abandon',
    idOf: 'challenge',
    summary: 'Abandon a challenge',
    access: 'CHALLENGES',
    status: 200,
    answer: challengeShape,
    refuses: [challengeEnded('COMPLETED'), noChallenge()],
    handle: ({ userId, params }) => challenges.abandon(userId, rowId(params.id ?? '')),
  }),
];
