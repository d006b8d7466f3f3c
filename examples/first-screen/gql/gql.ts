/* eslint-disable */
import * as types from './graphql.ts';
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';

/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  fragment DayOnScreen on UserDay {\n    date\n    completionCount\n    points\n    streakEffect\n  }\n": typeof types.DayOnScreenFragmentDoc,
    "\n  fragment StreakOnScreen on Streak {\n    unit\n    count\n    longest\n    doneToday\n    atRisk\n    aliveUntil\n  }\n": typeof types.StreakOnScreenFragmentDoc,
    "\n  fragment UserOnScreen on User {\n    id\n    name\n    points\n    today\n    todayEndsAt\n    streak {\n      ...StreakOnScreen\n    }\n    calendar(last: 31) {\n      ...DayOnScreen\n    }\n    activeChallenge {\n      id\n      template {\n        id\n        title\n      }\n      progress {\n        isTracked\n        daysDone\n        daysElapsed\n        daysTotal\n      }\n    }\n  }\n": typeof types.UserOnScreenFragmentDoc,
    "\n  fragment TaskOnScreen on Task {\n    id\n    title\n    target {\n      kind\n      amount\n      unit\n      per\n    }\n    today {\n      date\n      state\n      isDue\n      completionCount\n      periodAmount\n      remaining\n      filters\n      lastCompletion {\n        id\n      }\n    }\n    streak {\n      ...StreakOnScreen\n    }\n    thisPeriod {\n      from\n      to\n      goal\n      done\n      remaining\n      isKept\n    }\n    nextDueOn\n    calendar(last: 7) {\n      date\n      state\n      amount\n    }\n  }\n": typeof types.TaskOnScreenFragmentDoc,
    "\n  query FirstScreen {\n    me {\n      ...UserOnScreen\n    }\n    tasks(today: PLANNED, first: 100) {\n      nodes {\n        ...TaskOnScreen\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n    others: tasks(today: UNPLANNED, first: 100) {\n      nodes {\n        id\n        title\n        nextDueOn\n      }\n    }\n  }\n": typeof types.FirstScreenDocument,
    "\n  mutation Tap($taskId: ID!, $key: String!, $amount: Float, $at: DateTime) {\n    completeTask(taskId: $taskId, idempotencyKey: $key, amount: $amount, at: $at) {\n      task {\n        ...TaskOnScreen\n      }\n      user {\n        ...UserOnScreen\n      }\n    }\n  }\n": typeof types.TapDocument,
    "\n  mutation Undo($completionId: ID!) {\n    undoCompletion(id: $completionId) {\n      task {\n        ...TaskOnScreen\n      }\n      user {\n        ...UserOnScreen\n      }\n    }\n  }\n": typeof types.UndoDocument,
    "\n  subscription News {\n    progressChanged {\n      kind\n      task {\n        ...TaskOnScreen\n      }\n      user {\n        ...UserOnScreen\n      }\n    }\n  }\n": typeof types.NewsDocument,
};
const documents: Documents = {
    "\n  fragment DayOnScreen on UserDay {\n    date\n    completionCount\n    points\n    streakEffect\n  }\n": types.DayOnScreenFragmentDoc,
    "\n  fragment StreakOnScreen on Streak {\n    unit\n    count\n    longest\n    doneToday\n    atRisk\n    aliveUntil\n  }\n": types.StreakOnScreenFragmentDoc,
    "\n  fragment UserOnScreen on User {\n    id\n    name\n    points\n    today\n    todayEndsAt\n    streak {\n      ...StreakOnScreen\n    }\n    calendar(last: 31) {\n      ...DayOnScreen\n    }\n    activeChallenge {\n      id\n      template {\n        id\n        title\n      }\n      progress {\n        isTracked\n        daysDone\n        daysElapsed\n        daysTotal\n      }\n    }\n  }\n": types.UserOnScreenFragmentDoc,
    "\n  fragment TaskOnScreen on Task {\n    id\n    title\n    target {\n      kind\n      amount\n      unit\n      per\n    }\n    today {\n      date\n      state\n      isDue\n      completionCount\n      periodAmount\n      remaining\n      filters\n      lastCompletion {\n        id\n      }\n    }\n    streak {\n      ...StreakOnScreen\n    }\n    thisPeriod {\n      from\n      to\n      goal\n      done\n      remaining\n      isKept\n    }\n    nextDueOn\n    calendar(last: 7) {\n      date\n      state\n      amount\n    }\n  }\n": types.TaskOnScreenFragmentDoc,
    "\n  query FirstScreen {\n    me {\n      ...UserOnScreen\n    }\n    tasks(today: PLANNED, first: 100) {\n      nodes {\n        ...TaskOnScreen\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n    others: tasks(today: UNPLANNED, first: 100) {\n      nodes {\n        id\n        title\n        nextDueOn\n      }\n    }\n  }\n": types.FirstScreenDocument,
    "\n  mutation Tap($taskId: ID!, $key: String!, $amount: Float, $at: DateTime) {\n    completeTask(taskId: $taskId, idempotencyKey: $key, amount: $amount, at: $at) {\n      task {\n        ...TaskOnScreen\n      }\n      user {\n        ...UserOnScreen\n      }\n    }\n  }\n": types.TapDocument,
    "\n  mutation Undo($completionId: ID!) {\n    undoCompletion(id: $completionId) {\n      task {\n        ...TaskOnScreen\n      }\n      user {\n        ...UserOnScreen\n      }\n    }\n  }\n": types.UndoDocument,
    "\n  subscription News {\n    progressChanged {\n      kind\n      task {\n        ...TaskOnScreen\n      }\n      user {\n        ...UserOnScreen\n      }\n    }\n  }\n": types.NewsDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 *
 *
 * @example
 * ```ts
 * const query = graphql(`query GetUser($id: ID!) { user(id: $id) { name } }`);
 * ```
 *
 * The query argument is unknown!
 * Please regenerate the types.
 */
export function graphql(source: string): unknown;

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment DayOnScreen on UserDay {\n    date\n    completionCount\n    points\n    streakEffect\n  }\n"): (typeof documents)["\n  fragment DayOnScreen on UserDay {\n    date\n    completionCount\n    points\n    streakEffect\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment StreakOnScreen on Streak {\n    unit\n    count\n    longest\n    doneToday\n    atRisk\n    aliveUntil\n  }\n"): (typeof documents)["\n  fragment StreakOnScreen on Streak {\n    unit\n    count\n    longest\n    doneToday\n    atRisk\n    aliveUntil\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment UserOnScreen on User {\n    id\n    name\n    points\n    today\n    todayEndsAt\n    streak {\n      ...StreakOnScreen\n    }\n    calendar(last: 31) {\n      ...DayOnScreen\n    }\n    activeChallenge {\n      id\n      template {\n        id\n        title\n      }\n      progress {\n        isTracked\n        daysDone\n        daysElapsed\n        daysTotal\n      }\n    }\n  }\n"): (typeof documents)["\n  fragment UserOnScreen on User {\n    id\n    name\n    points\n    today\n    todayEndsAt\n    streak {\n      ...StreakOnScreen\n    }\n    calendar(last: 31) {\n      ...DayOnScreen\n    }\n    activeChallenge {\n      id\n      template {\n        id\n        title\n      }\n      progress {\n        isTracked\n        daysDone\n        daysElapsed\n        daysTotal\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment TaskOnScreen on Task {\n    id\n    title\n    target {\n      kind\n      amount\n      unit\n      per\n    }\n    today {\n      date\n      state\n      isDue\n      completionCount\n      periodAmount\n      remaining\n      filters\n      lastCompletion {\n        id\n      }\n    }\n    streak {\n      ...StreakOnScreen\n    }\n    thisPeriod {\n      from\n      to\n      goal\n      done\n      remaining\n      isKept\n    }\n    nextDueOn\n    calendar(last: 7) {\n      date\n      state\n      amount\n    }\n  }\n"): (typeof documents)["\n  fragment TaskOnScreen on Task {\n    id\n    title\n    target {\n      kind\n      amount\n      unit\n      per\n    }\n    today {\n      date\n      state\n      isDue\n      completionCount\n      periodAmount\n      remaining\n      filters\n      lastCompletion {\n        id\n      }\n    }\n    streak {\n      ...StreakOnScreen\n    }\n    thisPeriod {\n      from\n      to\n      goal\n      done\n      remaining\n      isKept\n    }\n    nextDueOn\n    calendar(last: 7) {\n      date\n      state\n      amount\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query FirstScreen {\n    me {\n      ...UserOnScreen\n    }\n    tasks(today: PLANNED, first: 100) {\n      nodes {\n        ...TaskOnScreen\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n    others: tasks(today: UNPLANNED, first: 100) {\n      nodes {\n        id\n        title\n        nextDueOn\n      }\n    }\n  }\n"): (typeof documents)["\n  query FirstScreen {\n    me {\n      ...UserOnScreen\n    }\n    tasks(today: PLANNED, first: 100) {\n      nodes {\n        ...TaskOnScreen\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n    others: tasks(today: UNPLANNED, first: 100) {\n      nodes {\n        id\n        title\n        nextDueOn\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation Tap($taskId: ID!, $key: String!, $amount: Float, $at: DateTime) {\n    completeTask(taskId: $taskId, idempotencyKey: $key, amount: $amount, at: $at) {\n      task {\n        ...TaskOnScreen\n      }\n      user {\n        ...UserOnScreen\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation Tap($taskId: ID!, $key: String!, $amount: Float, $at: DateTime) {\n    completeTask(taskId: $taskId, idempotencyKey: $key, amount: $amount, at: $at) {\n      task {\n        ...TaskOnScreen\n      }\n      user {\n        ...UserOnScreen\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation Undo($completionId: ID!) {\n    undoCompletion(id: $completionId) {\n      task {\n        ...TaskOnScreen\n      }\n      user {\n        ...UserOnScreen\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation Undo($completionId: ID!) {\n    undoCompletion(id: $completionId) {\n      task {\n        ...TaskOnScreen\n      }\n      user {\n        ...UserOnScreen\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription News {\n    progressChanged {\n      kind\n      task {\n        ...TaskOnScreen\n      }\n      user {\n        ...UserOnScreen\n      }\n    }\n  }\n"): (typeof documents)["\n  subscription News {\n    progressChanged {\n      kind\n      task {\n        ...TaskOnScreen\n      }\n      user {\n        ...UserOnScreen\n      }\n    }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;