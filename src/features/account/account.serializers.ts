import { inside, instant, number, objectOf, optionalText, text, uuid, whole } from '../../rest/serializer.js';
import { Session } from './account.payloads.js';
import type { Account } from './account.queries.js';
import type { SignedIn } from './account.service.js';
import { User } from './user.entity.js';

export const userSerializer = objectOf<Account>('User', User, {
  id: uuid((user) => user.id),
  name: text((user) => user.name),
  email: text((user) => user.email),
  profile_picture: optionalText((user) => user.profilePicture),
  points: number((user) => user.points),
  current_streak: whole((user) => user.currentStreak),
  max_streak: whole((user) => user.maxStreak),
  created_at: instant((user) => user.createdAt),
  updated_at: instant((user) => user.updatedAt),
});

const signedInUserSerializer = objectOf<Account>('SignedInUser', User, {
  id: uuid((user) => user.id),
  name: text((user) => user.name),
  email: text((user) => user.email),
  points: number((user) => user.points),
  current_streak: whole((user) => user.currentStreak),
  max_streak: whole((user) => user.maxStreak),
});

export const signedInSerializer = objectOf<SignedIn>('SignedIn', Session, {
  token: text((signedIn) => signedIn.token),
  user: inside((signedIn) => signedIn.user, signedInUserSerializer),
});
