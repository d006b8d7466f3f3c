import { randomText } from '../account/secret.js';

const LENGTH = 32;

/** The part of an address that nobody can guess. */
export const newLinkToken = (): string => randomText(LENGTH);

const TOKEN = new RegExp(`^[0-9A-Za-z]{${LENGTH}}$`);

/** Whether it may be one of ours, told from its text alone. */
export const looksLikeLinkToken = (text: string): boolean => TOKEN.test(text);
