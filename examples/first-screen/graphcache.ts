import type { Cache, CacheExchangeOpts } from '@urql/exchange-graphcache';

// For `cacheExchange(graphcache)` of @urql/exchange-graphcache: copy this file.

/** What has an id is kept under it, and everything else within what it is a part of. */
const keys: CacheExchangeOpts['keys'] = new Proxy(
  {},
  { get: () => (data: { id?: string }) => data.id ?? null },
);

/** These change which tasks there are, or their order. */
const CHANGES_OF_THE_LIST = [
  'createTask',
  'updateTask',
  'archiveTask',
  'unarchiveTask',
  'moveTask',
  'deleteTask',
];

function readListAgain(_result: unknown, _arguments: unknown, cache: Cache): void {
  for (const { fieldName, fieldKey } of cache.inspectFields('Query'))
    if (fieldName === 'tasks') cache.invalidate('Query', fieldKey);
}

export const graphcache: CacheExchangeOpts = {
  keys,
  updates: { Mutation: Object.fromEntries(CHANGES_OF_THE_LIST.map((name) => [name, readListAgain])) },
};
