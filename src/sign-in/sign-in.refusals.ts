import { invalid, unauthenticated } from '../errors.js';

export const mailUnavailable = () =>
  invalid('This service sends no mail: ask the operator for a link', undefined, 'MAIL_UNAVAILABLE');

export const resetInvalid = () =>
  invalid('This link is not valid any more: ask for another one', 'token', 'RESET_INVALID');

export const lastWayIn = () =>
  invalid('This is the only way into your account: set a password first', 'id', 'LAST_WAY_IN');

export const logInOver = () => unauthenticated('This log-in is over: begin it again', 'INVALID_CREDENTIALS');

export const noProvider = () => invalid('This service has no provider to log in with');
