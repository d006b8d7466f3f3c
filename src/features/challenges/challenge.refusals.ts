import { invalid, limitReached, missing } from '../../base/errors.js';
import { challengeLimits } from './limits.js';

export const noChallenge = () => missing('Challenge');

export const noTemplate = (field?: string) => missing('Challenge template', field);

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

export const tooManyChallenges = () =>
  limitReached(`You can have at most ${challengeLimits.challenges} challenges`);
