import { connectionOf } from '../graphql/connection.js';
import { Challenge } from './challenge.entity.js';

export const ChallengeConnection = connectionOf(Challenge);
