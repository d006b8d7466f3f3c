import { createHash, randomBytes } from 'node:crypto';

const BYTES = 32;

/** What a link or an address hands to one person: nobody guesses it, and it is stored nowhere. */
export const newSecret = () => randomBytes(BYTES).toString('base64url');

/** What is stored in its place. */
export const digestOf = (secret: string) => createHash('sha256').update(secret).digest('base64url');
