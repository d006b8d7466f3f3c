import { forbidden, invalid, Refusal, unauthenticated } from '../../base/errors.js';

export const emailTaken = (field = 'email') => invalid('Email already in use', field, 'EMAIL_TAKEN');

export const wrongCredentials = () => unauthenticated('Invalid email or password', 'INVALID_CREDENTIALS');

/** Said to whoever has shown that the account is theirs. */
export const accountSuspended = () =>
  forbidden('This account is suspended: ask the operator of this service', 'ACCOUNT_SUSPENDED');

/** Where whoever is logged in proves who they are. */
export type PasswordField = 'password' | 'currentPassword';

const LABELS = { password: 'Password', currentPassword: 'Current password' } satisfies Record<
  PasswordField,
  string
>;

export const passwordNeeded = (field: PasswordField) => invalid(`${LABELS[field]} must be given`, field);

/** Says of wrong credentials at which field they are, if they are no log-in. */
export const saidAt = (field: PasswordField) => (error: unknown) => {
  if (!(error instanceof Refusal && error.reason === 'INVALID_CREDENTIALS')) throw error;
  const message = `${LABELS[field]} is wrong`;
  throw new Refusal(error.kind, error.reason, message, { fields: { [field]: message } });
};

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
