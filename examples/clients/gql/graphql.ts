/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** What has changed. Later releases may add kinds. */
export type EventKind =
  /** A challenge was abandoned. */
  | 'CHALLENGE_ABANDONED'
  /** A challenge was accepted. */
  | 'CHALLENGE_ACCEPTED'
  /** The notes on a challenge were changed. */
  | 'CHALLENGE_CHANGED'
  /** A challenge was completed. */
  | 'CHALLENGE_COMPLETED'
  /** The note on a completion was changed. */
  | 'COMPLETION_CHANGED'
  /** A task was completed. */
  | 'COMPLETION_RECORDED'
  /** A completion was undone. */
  | 'COMPLETION_UNDONE'
  /** A day of a task was skipped, or the note on its skip was changed. */
  | 'DAY_SKIPPED'
  /** A day of a task is not skipped any more. */
  | 'DAY_UNSKIPPED'
  /** A file was imported. */
  | 'IMPORTED'
  /** A pause was created, of a task or of everything: it may begin later. */
  | 'PAUSE_BEGUN'
  /** The days or the note of a pause were changed: also, a pause was ended by its last day. */
  | 'PAUSE_CHANGED'
  /** A pause was deleted. */
  | 'PAUSE_ENDED'
  /** The profile was changed, such as the name, the e-mail address, the language or the time zone. */
  | 'PROFILE_CHANGED'
  /** The service corrected the counters of REST, within an hour after a day has ended by UTC, or as a repair. Your day ends without a change: ask `todayEndsAt`. */
  | 'STREAK_CORRECTED'
  /** A task was archived. */
  | 'TASK_ARCHIVED'
  /** A task was changed. A section that is renamed changes each of its tasks: the feed has an event for each. */
  | 'TASK_CHANGED'
  /** A task was created. */
  | 'TASK_CREATED'
  /** A task was deleted, with its completions. */
  | 'TASK_DELETED'
  /** A task was moved to another place of the list. */
  | 'TASK_MOVED'
  /** An archived task is in use again. */
  | 'TASK_UNARCHIVED';

/** The credentials of an account. */
export type LogInInput = {
  /** The e-mail address of the account, whatever its case. */
  email: string;
  /** The password of the account. */
  password: string;
};

export type HabitFragment = { id: string, title: string, today: { date: string, completionCount: number, lastCompletion: { id: string } | null } };

export type LogInMutationVariables = Exact<{
  input: LogInInput;
}>;


export type LogInMutation = { logIn: { token: string, expiresAt: string } | null };

export type TasksQueryVariables = Exact<{ [key: string]: never; }>;


export type TasksQuery = { tasks: { nodes: Array<{ id: string, title: string, today: { date: string, completionCount: number, lastCompletion: { id: string } | null } }> } };

export type CompleteMutationVariables = Exact<{
  taskId: string;
  key: string;
}>;


export type CompleteMutation = { completeTask: { isReplayed: boolean, task: { id: string, title: string, today: { date: string, completionCount: number, lastCompletion: { id: string } | null } } } | null };

export type ProgressSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type ProgressSubscription = { progressChanged: { kind: EventKind, task: { id: string, title: string, today: { date: string, completionCount: number, lastCompletion: { id: string } | null } } | null } };

export const HabitFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Habit"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Task"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"today"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"completionCount"}},{"kind":"Field","name":{"kind":"Name","value":"lastCompletion"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}}]}}]} as unknown as DocumentNode<HabitFragment, unknown>;
export const LogInDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"LogIn"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"LogInInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"logIn"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"token"}},{"kind":"Field","name":{"kind":"Name","value":"expiresAt"}}]}}]}}]} as unknown as DocumentNode<LogInMutation, LogInMutationVariables>;
export const TasksDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Tasks"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"tasks"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"100"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Habit"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Habit"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Task"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"today"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"completionCount"}},{"kind":"Field","name":{"kind":"Name","value":"lastCompletion"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}}]}}]} as unknown as DocumentNode<TasksQuery, TasksQueryVariables>;
export const CompleteDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"Complete"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"taskId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"key"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"completeTask"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"taskId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"taskId"}}},{"kind":"Argument","name":{"kind":"Name","value":"idempotencyKey"},"value":{"kind":"Variable","name":{"kind":"Name","value":"key"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"isReplayed"}},{"kind":"Field","name":{"kind":"Name","value":"task"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Habit"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Habit"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Task"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"today"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"completionCount"}},{"kind":"Field","name":{"kind":"Name","value":"lastCompletion"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}}]}}]} as unknown as DocumentNode<CompleteMutation, CompleteMutationVariables>;
export const ProgressDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"Progress"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"progressChanged"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"task"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Habit"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Habit"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Task"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"today"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"completionCount"}},{"kind":"Field","name":{"kind":"Name","value":"lastCompletion"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}}]}}]} as unknown as DocumentNode<ProgressSubscription, ProgressSubscriptionVariables>;