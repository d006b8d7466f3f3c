import { it } from 'vitest';
import { bringsAlong } from './full-account.js';

/** Of all that an account may have: 1 for the whole, which takes a minute. */
const PART = Number(process.env.ACCOUNT_PART ?? 1 / 40);

it('Whatever the limits allow an account is exported and imported again', () => bringsAlong(PART));
