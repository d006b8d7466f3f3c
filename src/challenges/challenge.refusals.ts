import { invalid, missing } from '../errors.js';
import { limits } from '../validation.js';

export const noChallenge = () => missing('Challenge');

export const noTemplate = () => missing('Challenge template');

export const challengeActive = () =>
  invalid('You have an active challenge already', undefined, 'CHALLENGE_ACTIVE');

export const challengeEnded = (status: 'COMPLETED' | 'ABANDONED') =>
  invalid(`Challenge is already ${status.toLowerCase()}`, undefined, 'CHALLENGE_ENDED');

export const noActiveChallenge = () =>
  invalid(
    "You don't have an active challenge for this template",
    'challengeTemplateId',
    'NO_ACTIVE_CHALLENGE',
  );

export const tooManyChallenges = () => invalid(`You can have at most ${limits.challenges} challenges`);
