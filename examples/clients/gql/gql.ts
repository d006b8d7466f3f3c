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
    "\n  fragment Habit on Task { id title today { date completionCount lastCompletion { id } } }\n": typeof types.HabitFragmentDoc,
    "\n  mutation LogIn($input: LogInInput!) {\n    logIn(input: $input) { token expiresAt }\n  }\n": typeof types.LogInDocument,
    "\n  query Tasks {\n    tasks(first: 100) { nodes { ...Habit } }\n  }\n": typeof types.TasksDocument,
    "\n  mutation Complete($taskId: ID!, $key: String!) {\n    completeTask(taskId: $taskId, idempotencyKey: $key) { isReplayed task { ...Habit } }\n  }\n": typeof types.CompleteDocument,
    "\n  subscription Progress {\n    progressChanged { kind task { ...Habit } }\n  }\n": typeof types.ProgressDocument,
};
const documents: Documents = {
    "\n  fragment Habit on Task { id title today { date completionCount lastCompletion { id } } }\n": types.HabitFragmentDoc,
    "\n  mutation LogIn($input: LogInInput!) {\n    logIn(input: $input) { token expiresAt }\n  }\n": types.LogInDocument,
    "\n  query Tasks {\n    tasks(first: 100) { nodes { ...Habit } }\n  }\n": types.TasksDocument,
    "\n  mutation Complete($taskId: ID!, $key: String!) {\n    completeTask(taskId: $taskId, idempotencyKey: $key) { isReplayed task { ...Habit } }\n  }\n": types.CompleteDocument,
    "\n  subscription Progress {\n    progressChanged { kind task { ...Habit } }\n  }\n": types.ProgressDocument,
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
export function graphql(source: "\n  fragment Habit on Task { id title today { date completionCount lastCompletion { id } } }\n"): (typeof documents)["\n  fragment Habit on Task { id title today { date completionCount lastCompletion { id } } }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation LogIn($input: LogInInput!) {\n    logIn(input: $input) { token expiresAt }\n  }\n"): (typeof documents)["\n  mutation LogIn($input: LogInInput!) {\n    logIn(input: $input) { token expiresAt }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Tasks {\n    tasks(first: 100) { nodes { ...Habit } }\n  }\n"): (typeof documents)["\n  query Tasks {\n    tasks(first: 100) { nodes { ...Habit } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation Complete($taskId: ID!, $key: String!) {\n    completeTask(taskId: $taskId, idempotencyKey: $key) { isReplayed task { ...Habit } }\n  }\n"): (typeof documents)["\n  mutation Complete($taskId: ID!, $key: String!) {\n    completeTask(taskId: $taskId, idempotencyKey: $key) { isReplayed task { ...Habit } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription Progress {\n    progressChanged { kind task { ...Habit } }\n  }\n"): (typeof documents)["\n  subscription Progress {\n    progressChanged { kind task { ...Habit } }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;