import { invalid, Refusal, unauthenticated } from '../../base/errors.js';

export const mailUnavailable = () =>
  invalid('This service sends no mail: ask the operator for a link', undefined, 'MAIL_UNAVAILABLE');

export const noConfirmation = () =>
  invalid('This service sends no mail, so no address can be confirmed', undefined, 'MAIL_UNAVAILABLE');

export const resetInvalid = () =>
  invalid('This link is not valid any more: ask for another one', 'token', 'LINK_INVALID');

/** What the link is for has been done: who has it may know that, and no more. */
export const confirmedAlready = () =>
  new Refusal('invalid', 'LINK_INVALID', 'This address is confirmed already', { outcome: 'APPLIED' });

export const lastWayIn = () =>
  invalid('This is the only way into your account: set a password first', 'id', 'LAST_WAY_IN');

export const logInOver = () => unauthenticated('This log-in is over: begin it again', 'INVALID_CREDENTIALS');

export const noProvider = () =>
  invalid('This service has no provider to log in with', undefined, 'PROVIDER_UNAVAILABLE');
