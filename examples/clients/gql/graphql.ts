/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** One of several completions to record at once. */
export type CompletionInput = {
  /** How much was done: more than 0, at most 1,000,000,000, with three decimals at most. A completion without an amount counts as the target of the day, or as 1 for a limit or a target of a week or month. */
  amount?: number | null | undefined;
  /** When the task was done. Up to five minutes in the future counts as now, since the clock of a device may be ahead; it must be no longer ago than the service allows (its setting BACKDATE_HOURS, seven days by default). Without `at`, it was done now. */
  at?: string | null | undefined;
  /** The key makes a retry safe: the same key again records nothing, and returns the first completion. */
  idempotencyKey: string;
  /** A note on it, at most 1,000 characters. */
  note?: string | null | undefined;
  /** The task that was done. */
  taskId: string;
};

/** The credentials of an account. */
export type LogInInput = {
  /** The e-mail address of the account, whatever its case. */
  email: string;
  /** The password of the account. */
  password: string;
};

/** What has changed. */
export type ProgressCause =
  /** A task was completed. */
  | 'COMPLETED'
  /** The service corrected the counters: at the end of a day, or as a repair. */
  | 'CORRECTED'
  /** A task was created, changed, moved, archived, restored, skipped, paused or deleted. */
  | 'PLANNED'
  /** The profile was changed, such as the name, the e-mail address, the language or the time zone. */
  | 'PROFILE'
  /** A completion was undone. */
  | 'UNDONE';

/** Why something was refused, for programs. Errors carry the same reasons in `extensions.reason`. Later releases may add reasons, and never change what one means. */
export type Reason =
  /** The account has tasks, and a file is imported only into an account without any. Offer to import it into a new account. */
  | 'ACCOUNT_IN_USE'
  /** The user has an active challenge already. Show that challenge, and offer to end it. */
  | 'CHALLENGE_ACTIVE'
  /** The challenge has ended in the other way. Read the challenge again. */
  | 'CHALLENGE_ENDED'
  /** This service cannot send messages that way: its operator has not set it up. Offer only what `reminderService` names. */
  | 'CHANNEL_UNAVAILABLE'
  /** The database cannot be reached or does not answer; `outcome` says whether something was done. Send it again: with its idempotency key, where something may have been done. */
  | 'DATABASE_AWAY'
  /** The day lies too far ahead. Ask for an earlier day. */
  | 'DAY_AHEAD'
  /** The completion lies longer ago than `BACKDATE_HOURS` allows, and can no longer be changed. Take the button away. */
  | 'DAY_OVER'
  /** Another account has this e-mail address. Offer to log in instead. */
  | 'EMAIL_TAKEN'
  /** The task has completions: a goal cannot become a limit any more, nor a limit a goal. Offer to make a new task, and to archive this one. */
  | 'HAS_HISTORY'
  /** A fault of the service, which is in its log. Send it again later, with its idempotency key. */
  | 'INTERNAL'
  /** The e-mail address or the password is wrong. Let the person try again. */
  | 'INVALID_CREDENTIALS'
  /** The request or one of its values is not as it must be; `fields` names the values. Show the message beside the field. Sending it again unchanged does not help. */
  | 'INVALID_INPUT'
  /** `at` is more than five minutes ahead of the clock of the service, which the message tells. Compare the clocks, correct `at` by the difference, and send it again. */
  | 'IN_FUTURE'
  /** The idempotency key was used for another task or amount, or to create a task from another input; the message says what differs. It is a fault of the client: make one key for each tap, and for each new task. */
  | 'KEY_REUSED'
  /** The log-in is the only way into the account, which has no password. Offer to set a password first, with `updateProfile`. */
  | 'LAST_WAY_IN'
  /** This service sends no mail (`SMTP_URL` is not set). Send people to the operator, who can print a link to choose a new password. */
  | 'MAIL_UNAVAILABLE'
  /** There is no such thing, or it is not yours. Drop it from what you keep. */
  | 'NOT_FOUND'
  /** The task names a challenge that the user has not accepted. Leave the challenge out, or have it accepted first. */
  | 'NO_ACTIVE_CHALLENGE'
  /** The service has more to do than it can; `outcome` says whether something was done. Wait `retryAfter` seconds and send it again, longer each time. */
  | 'OVERLOADED'
  /** The days overlap with another pause of the same thing. Show that pause, and offer to change it. */
  | 'PAUSED'
  /** This service has no provider to log in with (`OIDC_ISSUER` is not set). Offer only the providers that `signInService` names. */
  | 'PROVIDER_UNAVAILABLE'
  /** The link was used, has expired, was replaced by a newer one, or is none of ours. With the `outcome` `APPLIED`, it has confirmed the address before. Say so, and offer to send another one. */
  | 'RESET_INVALID'
  /** The API token lacks a scope, which the message names, or this needs a session. Make a token with that scope, or log in. */
  | 'SCOPE_MISSING'
  /** The operator of this service makes the accounts (`SIGN_UP=closed`). Show the log-in only, and send people to the operator. */
  | 'SIGN_UP_CLOSED'
  /** The task is archived. Offer to restore it. */
  | 'TASK_ARCHIVED'
  /** The task belongs to another user. Drop the task from what you keep, and read the list again. */
  | 'TASK_OF_ANOTHER'
  /** The token is none of ours, has expired, or its account is gone. Forget the token, and ask the person to log in. */
  | 'TOKEN_INVALID'
  /** No token came with the request. Ask the person to log in or to sign up. */
  | 'TOKEN_MISSING'
  /** The operation or its answer is over a limit, which `limit` names. Ask for fewer fields, rows or days at a time. */
  | 'TOO_COMPLEX'
  /** `at` is longer ago than `BACKDATE_HOURS` allows. Ask the person whether it should count for now, and send it without `at`. */
  | 'TOO_LATE'
  /** The limit of how many you can have is reached; the message tells of what, such as tasks. Show what there is, and offer to remove some. */
  | 'TOO_MANY'
  /** Too many failed log-ins, or more than one client may do at a time. Wait `retryAfter` seconds. */
  | 'TOO_MANY_ATTEMPTS';

export type LogInMutationVariables = Exact<{
  input: LogInInput;
}>;


export type LogInMutation = { logIn: { token: string, expiresAt: string } | null };

export type TasksQueryVariables = Exact<{ [key: string]: never; }>;


export type TasksQuery = { tasks: { nodes: Array<{ id: string, title: string, today: { date: string, completions: number, lastCompletionId: string | null } }> } };

export type CompleteMutationVariables = Exact<{
  taskId: string;
  key: string;
}>;


export type CompleteMutation = { completeTask: { replayed: boolean, task: { id: string, today: { date: string, completions: number, lastCompletionId: string | null } } } | null };

export type SendMutationVariables = Exact<{
  taps: Array<CompletionInput> | CompletionInput;
}>;


export type SendMutation = { completeTasks: { results: Array<{ replayed: boolean, error: { reason: Reason } | null }> } | null };

export type ProgressSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type ProgressSubscription = { progressChanged: { cause: ProgressCause, task: { id: string, today: { date: string, completions: number, lastCompletionId: string | null } } | null } };


export const LogInDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"LogIn"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"LogInInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"logIn"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"token"}},{"kind":"Field","name":{"kind":"Name","value":"expiresAt"}}]}}]}}]} as unknown as DocumentNode<LogInMutation, LogInMutationVariables>;
export const TasksDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Tasks"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"tasks"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"100"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"today"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"completions"}},{"kind":"Field","name":{"kind":"Name","value":"lastCompletionId"}}]}}]}}]}}]}}]} as unknown as DocumentNode<TasksQuery, TasksQueryVariables>;
export const CompleteDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"Complete"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"taskId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"key"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"completeTask"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"taskId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"taskId"}}},{"kind":"Argument","name":{"kind":"Name","value":"idempotencyKey"},"value":{"kind":"Variable","name":{"kind":"Name","value":"key"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"replayed"}},{"kind":"Field","name":{"kind":"Name","value":"task"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"today"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"completions"}},{"kind":"Field","name":{"kind":"Name","value":"lastCompletionId"}}]}}]}}]}}]}}]} as unknown as DocumentNode<CompleteMutation, CompleteMutationVariables>;
export const SendDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"Send"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"taps"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CompletionInput"}}}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"completeTasks"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"taps"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"results"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"replayed"}},{"kind":"Field","name":{"kind":"Name","value":"error"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"reason"}}]}}]}}]}}]}}]} as unknown as DocumentNode<SendMutation, SendMutationVariables>;
export const ProgressDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"Progress"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"progressChanged"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cause"}},{"kind":"Field","name":{"kind":"Name","value":"task"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"today"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"completions"}},{"kind":"Field","name":{"kind":"Name","value":"lastCompletionId"}}]}}]}}]}}]}}]} as unknown as DocumentNode<ProgressSubscription, ProgressSubscriptionVariables>;