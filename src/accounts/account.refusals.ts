import { forbidden, invalid, Refusal, unauthenticated } from '../errors.js';

export const emailTaken = () => invalid('Email already in use', 'email', 'EMAIL_TAKEN');

export const wrongCredentials = () => unauthenticated('Invalid email or password', 'INVALID_CREDENTIALS');

export const signUpClosed = (signUp: 'closed' | 'oidc' = 'closed') =>
  forbidden(
    signUp === 'oidc'
      ? 'There is no sign-up with a password here: log in with your provider'
      : 'Sign-up is closed here: ask the operator for an account',
    'SIGN_UP_CLOSED',
  );

/** The owner of an account without a password shows in this way who they are. */
export const freshLogInNeeded = () =>
  unauthenticated('Log in with your provider again, and do this within five minutes', 'INVALID_CREDENTIALS');

/** The answer to an operator, not to a stranger. */
export const noAccount = (email: string) =>
  new Refusal('missing', 'NOT_FOUND', `There is no account with the e-mail address ${email}`);
