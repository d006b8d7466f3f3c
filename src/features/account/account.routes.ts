import { throttled } from '../../base/errors.js';
import { sessionNeeded } from '../../base/scopes.js';
import { AT, route, SENDER } from '../../rest/route.js';
import { LogInInput, SignUpInput, UpdateProfileInput } from './account.input.js';
import { accountSuspended, emailTaken, signUpClosed, wrongCredentials } from './account.refusals.js';
import { signedInSerializer, userSerializer } from './account.serializers.js';
import type { AccountService } from './account.service.js';

const credentials = { email: 'ana@example.com', password: 'one step a day' };

const person = {
  id: SENDER,
  name: 'Ana',
  email: 'ana@example.com',
  points: 0,
  current_streak: 0,
  max_streak: 0,
};

const signedIn = {
  token:
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJjMWFlZDllYi1hMWQ3LTQwZmEtOGRjZS0wMGRiOWE4NWE1YTcifQ.c2lnbmF0dXJl',
  user: person,
};

const profile = { ...person, profile_picture: null, created_at: AT, updated_at: AT };

const picture = 'https://example.com/ana.png';

export const accountRoutes = (accounts: AccountService) => [
  route({
    method: 'post',
    path: '/auth/signup',
    summary: 'Sign up',
    access: 'OPEN',
    body: SignUpInput,
    status: 201,
    answer: signedInSerializer,
    refuses: [emailTaken(), signUpClosed()],
    example: { body: { name: 'Ana', ...credentials }, wrong: [{ password: 'step' }], answer: signedIn },
    handle: ({ body, address }) => accounts.signUp(body, address),
  }),
  route({
    method: 'post',
    path: '/auth/login',
    summary: 'Log in',
    access: 'OPEN',
    body: LogInInput,
    status: 200,
    answer: signedInSerializer,
    refuses: [wrongCredentials(), accountSuspended(), throttled(60)],
    example: { body: credentials, wrong: [{ password: null }], answer: signedIn },
    handle: ({ body, address }) => accounts.logIn(body, address),
  }),
  route({
    method: 'get',
    path: '/user/profile',
    summary: 'Get your profile',
    access: 'READ',
    status: 200,
    answer: userSerializer,
    example: { answer: profile },
    handle: ({ userId }) => accounts.get(userId),
  }),
  route({
    method: 'put',
    path: '/user/profile',
    summary: 'Update your profile',
    access: 'PROFILE',
    body: UpdateProfileInput,
    names: { profile_picture: 'profilePicture' },
    status: 200,
    answer: userSerializer,
    refuses: [emailTaken(), sessionNeeded()],
    example: {
      body: { name: 'Ana Lima', profilePicture: picture },
      wrong: [{ profilePicture: 'ana.png' }],
      answer: { ...profile, name: 'Ana Lima', profile_picture: picture },
    },
    handle: ({ caller, body, address }) => accounts.updateProfile(caller, body, address),
  }),
];
