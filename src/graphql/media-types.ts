/** Media types of an answer, in Apollo's order of preference when the client has none. */
export const MEDIA_TYPES = [
  'application/json; charset=utf-8',
  'application/graphql-response+json; charset=utf-8',
];
