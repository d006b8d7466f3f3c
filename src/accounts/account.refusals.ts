import { forbidden, invalid, missing, unauthenticated } from '../errors.js';

export const emailTaken = () => invalid('Email already in use', 'email', 'EMAIL_TAKEN');

export const wrongCredentials = () => unauthenticated('Invalid email or password', 'INVALID_CREDENTIALS');

export const signUpClosed = () =>
  forbidden('Sign-up is closed here: ask the operator for an account', 'SIGN_UP_CLOSED');

/** The answer to an operator, not to a stranger. */
export const noAccount = (email: string) => missing(`An account with the e-mail address ${email}`);
