import { invalid, missing } from '../errors.js';
import { limits } from '../validation.js';

export const noChallenge = () => missing('Challenge');

export const noTemplate = () => missing('Challenge template');

/** In Portuguese, as the REST specification has it. */
export const challengeActive = () =>
  invalid('Você já possui um desafio ativo', undefined, 'CHALLENGE_ACTIVE');

export const challengeEnded = (status: 'COMPLETED' | 'ABANDONED') =>
  invalid(`Challenge is already ${status.toLowerCase()}`, undefined, 'CHALLENGE_ENDED');

export const noActiveChallenge = () =>
  invalid(
    "You don't have an active challenge for this template",
    'challengeTemplateId',
    'NO_ACTIVE_CHALLENGE',
  );

export const tooManyChallenges = () => invalid(`You can have at most ${limits.challenges} challenges`);
