import type { Cache, CacheExchangeOpts } from '@urql/exchange-graphcache';

// For `cacheExchange(graphcache)` of @urql/exchange-graphcache: copy this file.

/** What has an id is kept under it, and everything else within what it is a part of. */
const keys: CacheExchangeOpts['keys'] = new Proxy(
  {},
  { get: () => (data: { id?: string }) => data.id ?? null },
);

/** These change which tasks there are, which of them are due, or their order. */
const CHANGES_OF_THE_LISTS = [
  'createTask',
  'updateTask',
  'archiveTask',
  'unarchiveTask',
  'moveTask',
  'renameSection',
  'deleteTask',
  'skipDay',
  'unskipDay',
  'createPause',
  'updatePause',
  'deletePause',
  'completeTasks',
  'updateProfile',
];

function readListsAgain(_result: unknown, _arguments: unknown, cache: Cache): void {
  for (const { fieldName, fieldKey } of cache.inspectFields('Query'))
    if (fieldName === 'tasks') cache.invalidate('Query', fieldKey);
}

/** What was done for an earlier day may be why a task is not due today. */
function readListsAgainIfEarlier(result: unknown, done: { at?: unknown }, cache: Cache): void {
  if (done.at) readListsAgain(result, done, cache);
}

export const graphcache: CacheExchangeOpts = {
  keys,
  updates: {
    Mutation: {
      ...Object.fromEntries(CHANGES_OF_THE_LISTS.map((name) => [name, readListsAgain])),
      completeTask: readListsAgainIfEarlier,
    },
  },
};
