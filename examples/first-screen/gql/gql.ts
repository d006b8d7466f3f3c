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
    "\n  fragment DayOnScreen on CalendarDay {\n    date\n    completions\n    points\n    streakEffect\n  }\n": typeof types.DayOnScreenFragmentDoc,
    "\n  fragment UserOnScreen on User {\n    id\n    name\n    points\n    today\n    timeZone\n    dayStartsAt\n    streak {\n      unit\n      count\n      longest\n      doneToday\n      atRisk\n      aliveUntil\n    }\n  }\n": typeof types.UserOnScreenFragmentDoc,
    "\n  fragment TaskOnScreen on Task {\n    id\n    title\n    target {\n      amount\n      unit\n    }\n    today {\n      date\n      state\n      completions\n      amount\n      left\n      lastCompletionId\n    }\n    streak {\n      unit\n      count\n      longest\n      doneToday\n      atRisk\n      aliveUntil\n    }\n    calendar(from: $recent, to: $to) {\n      ...DayOnScreen\n    }\n  }\n": typeof types.TaskOnScreenFragmentDoc,
    "\n  query FirstScreen($from: Date!, $recent: Date!, $to: Date!) {\n    me {\n      ...UserOnScreen\n      calendar(from: $from, to: $to) {\n        ...DayOnScreen\n      }\n    }\n    tasks(first: 100) {\n      nodes {\n        ...TaskOnScreen\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": typeof types.FirstScreenDocument,
    "\n  fragment UserWithRecentDays on User {\n    ...UserOnScreen\n    calendar(from: $recent, to: $to) {\n      ...DayOnScreen\n    }\n  }\n": typeof types.UserWithRecentDaysFragmentDoc,
    "\n  mutation Tap($taskId: ID!, $key: String!, $at: DateTime, $recent: Date!, $to: Date!) {\n    completeTask(taskId: $taskId, idempotencyKey: $key, at: $at) {\n      task {\n        ...TaskOnScreen\n      }\n      user {\n        ...UserWithRecentDays\n      }\n    }\n  }\n": typeof types.TapDocument,
    "\n  mutation Undo($completionId: ID!, $recent: Date!, $to: Date!) {\n    undoCompletion(id: $completionId) {\n      task {\n        ...TaskOnScreen\n      }\n      user {\n        ...UserWithRecentDays\n      }\n    }\n  }\n": typeof types.UndoDocument,
    "\n  subscription News($recent: Date!, $to: Date!) {\n    progressChanged {\n      task {\n        ...TaskOnScreen\n      }\n      user {\n        ...UserWithRecentDays\n      }\n    }\n  }\n": typeof types.NewsDocument,
};
const documents: Documents = {
    "\n  fragment DayOnScreen on CalendarDay {\n    date\n    completions\n    points\n    streakEffect\n  }\n": types.DayOnScreenFragmentDoc,
    "\n  fragment UserOnScreen on User {\n    id\n    name\n    points\n    today\n    timeZone\n    dayStartsAt\n    streak {\n      unit\n      count\n      longest\n      doneToday\n      atRisk\n      aliveUntil\n    }\n  }\n": types.UserOnScreenFragmentDoc,
    "\n  fragment TaskOnScreen on Task {\n    id\n    title\n    target {\n      amount\n      unit\n    }\n    today {\n      date\n      state\n      completions\n      amount\n      left\n      lastCompletionId\n    }\n    streak {\n      unit\n      count\n      longest\n      doneToday\n      atRisk\n      aliveUntil\n    }\n    calendar(from: $recent, to: $to) {\n      ...DayOnScreen\n    }\n  }\n": types.TaskOnScreenFragmentDoc,
    "\n  query FirstScreen($from: Date!, $recent: Date!, $to: Date!) {\n    me {\n      ...UserOnScreen\n      calendar(from: $from, to: $to) {\n        ...DayOnScreen\n      }\n    }\n    tasks(first: 100) {\n      nodes {\n        ...TaskOnScreen\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": types.FirstScreenDocument,
    "\n  fragment UserWithRecentDays on User {\n    ...UserOnScreen\n    calendar(from: $recent, to: $to) {\n      ...DayOnScreen\n    }\n  }\n": types.UserWithRecentDaysFragmentDoc,
    "\n  mutation Tap($taskId: ID!, $key: String!, $at: DateTime, $recent: Date!, $to: Date!) {\n    completeTask(taskId: $taskId, idempotencyKey: $key, at: $at) {\n      task {\n        ...TaskOnScreen\n      }\n      user {\n        ...UserWithRecentDays\n      }\n    }\n  }\n": types.TapDocument,
    "\n  mutation Undo($completionId: ID!, $recent: Date!, $to: Date!) {\n    undoCompletion(id: $completionId) {\n      task {\n        ...TaskOnScreen\n      }\n      user {\n        ...UserWithRecentDays\n      }\n    }\n  }\n": types.UndoDocument,
    "\n  subscription News($recent: Date!, $to: Date!) {\n    progressChanged {\n      task {\n        ...TaskOnScreen\n      }\n      user {\n        ...UserWithRecentDays\n      }\n    }\n  }\n": types.NewsDocument,
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
export function graphql(source: "\n  fragment DayOnScreen on CalendarDay {\n    date\n    completions\n    points\n    streakEffect\n  }\n"): (typeof documents)["\n  fragment DayOnScreen on CalendarDay {\n    date\n    completions\n    points\n    streakEffect\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment UserOnScreen on User {\n    id\n    name\n    points\n    today\n    timeZone\n    dayStartsAt\n    streak {\n      unit\n      count\n      longest\n      doneToday\n      atRisk\n      aliveUntil\n    }\n  }\n"): (typeof documents)["\n  fragment UserOnScreen on User {\n    id\n    name\n    points\n    today\n    timeZone\n    dayStartsAt\n    streak {\n      unit\n      count\n      longest\n      doneToday\n      atRisk\n      aliveUntil\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment TaskOnScreen on Task {\n    id\n    title\n    target {\n      amount\n      unit\n    }\n    today {\n      date\n      state\n      completions\n      amount\n      left\n      lastCompletionId\n    }\n    streak {\n      unit\n      count\n      longest\n      doneToday\n      atRisk\n      aliveUntil\n    }\n    calendar(from: $recent, to: $to) {\n      ...DayOnScreen\n    }\n  }\n"): (typeof documents)["\n  fragment TaskOnScreen on Task {\n    id\n    title\n    target {\n      amount\n      unit\n    }\n    today {\n      date\n      state\n      completions\n      amount\n      left\n      lastCompletionId\n    }\n    streak {\n      unit\n      count\n      longest\n      doneToday\n      atRisk\n      aliveUntil\n    }\n    calendar(from: $recent, to: $to) {\n      ...DayOnScreen\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query FirstScreen($from: Date!, $recent: Date!, $to: Date!) {\n    me {\n      ...UserOnScreen\n      calendar(from: $from, to: $to) {\n        ...DayOnScreen\n      }\n    }\n    tasks(first: 100) {\n      nodes {\n        ...TaskOnScreen\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"): (typeof documents)["\n  query FirstScreen($from: Date!, $recent: Date!, $to: Date!) {\n    me {\n      ...UserOnScreen\n      calendar(from: $from, to: $to) {\n        ...DayOnScreen\n      }\n    }\n    tasks(first: 100) {\n      nodes {\n        ...TaskOnScreen\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment UserWithRecentDays on User {\n    ...UserOnScreen\n    calendar(from: $recent, to: $to) {\n      ...DayOnScreen\n    }\n  }\n"): (typeof documents)["\n  fragment UserWithRecentDays on User {\n    ...UserOnScreen\n    calendar(from: $recent, to: $to) {\n      ...DayOnScreen\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation Tap($taskId: ID!, $key: String!, $at: DateTime, $recent: Date!, $to: Date!) {\n    completeTask(taskId: $taskId, idempotencyKey: $key, at: $at) {\n      task {\n        ...TaskOnScreen\n      }\n      user {\n        ...UserWithRecentDays\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation Tap($taskId: ID!, $key: String!, $at: DateTime, $recent: Date!, $to: Date!) {\n    completeTask(taskId: $taskId, idempotencyKey: $key, at: $at) {\n      task {\n        ...TaskOnScreen\n      }\n      user {\n        ...UserWithRecentDays\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation Undo($completionId: ID!, $recent: Date!, $to: Date!) {\n    undoCompletion(id: $completionId) {\n      task {\n        ...TaskOnScreen\n      }\n      user {\n        ...UserWithRecentDays\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation Undo($completionId: ID!, $recent: Date!, $to: Date!) {\n    undoCompletion(id: $completionId) {\n      task {\n        ...TaskOnScreen\n      }\n      user {\n        ...UserWithRecentDays\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription News($recent: Date!, $to: Date!) {\n    progressChanged {\n      task {\n        ...TaskOnScreen\n      }\n      user {\n        ...UserWithRecentDays\n      }\n    }\n  }\n"): (typeof documents)["\n  subscription News($recent: Date!, $to: Date!) {\n    progressChanged {\n      task {\n        ...TaskOnScreen\n      }\n      user {\n        ...UserWithRecentDays\n      }\n    }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;