import { LogInInput, SignUpInput, UpdateProfileInput } from '../accounts/account.input.js';
import { emailTaken, signUpClosed, wrongCredentials } from '../accounts/account.refusals.js';
import type { AccountService } from '../accounts/account.service.js';
import { throttled } from '../errors.js';
import { sessionNeeded } from '../scopes.js';
import { route } from './route.js';
import { signedInSerializer, userSerializer } from './serializers.js';

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
    refuses: [wrongCredentials(), throttled(60)],
    handle: ({ body, address }) => accounts.logIn(body, address),
  }),
  route({
    method: 'get',
    path: '/user/profile',
    summary: 'Get your profile',
    access: 'READ',
    status: 200,
    answer: userSerializer,
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
    handle: ({ caller, body, address }) => accounts.updateProfile(caller, body, address),
  }),
];
