import { invalid, unauthenticated } from '../errors.js';

export const emailTaken = () => invalid('Email already in use', 'email', 'EMAIL_TAKEN');

export const wrongCredentials = () => unauthenticated('Invalid email or password', 'INVALID_CREDENTIALS');
