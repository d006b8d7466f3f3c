import type { Storage } from '@graphiql/toolkit';
import { prefix } from './place';

// GraphiQL's history contains passwords and tokens as they were typed, so nothing outlives the browser tab. The
// prefix separates our keys from those of other projects on localhost:3000.
const ownKeys = () => Object.keys(sessionStorage).filter((key) => key.startsWith(`${prefix}graphiql:`));

export const storage: Storage = {
  getItem: (key) => sessionStorage.getItem(prefix + key),
  setItem: (key, value) => sessionStorage.setItem(prefix + key, value),
  removeItem: (key) => sessionStorage.removeItem(prefix + key),
  clear() {
    for (const key of ownKeys()) sessionStorage.removeItem(key);
  },
  get length() {
    return ownKeys().length;
  },
};
