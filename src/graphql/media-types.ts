/** Of an answer, as Apollo knows them, in its order of preference, other things being equal. */
export const MEDIA_TYPES = [
  'application/json; charset=utf-8',
  'application/graphql-response+json; charset=utf-8',
];
