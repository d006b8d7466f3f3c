/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** The colour of a task, by its name. */
export type Colour =
  /** Amber. */
  | 'AMBER'
  /** Blue. */
  | 'BLUE'
  /** Cyan. */
  | 'CYAN'
  /** Green. */
  | 'GREEN'
  /** Grey. */
  | 'GREY'
  /** Indigo. */
  | 'INDIGO'
  /** Lime. */
  | 'LIME'
  /** Orange. */
  | 'ORANGE'
  /** Pink. */
  | 'PINK'
  /** Red. */
  | 'RED'
  /** Teal. */
  | 'TEAL'
  /** Violet. */
  | 'VIOLET';

/** A task to create. */
export type CreateTaskInput = {
  /** The template to link the task to. You must have an ACTIVE challenge based on it. */
  challengeTemplateId?: string | null | undefined;
  /** Its colour. */
  colour?: Colour | null | undefined;
  /** Free text, at most 10,000 characters. */
  description?: string | null | undefined;
  /** One emoji or other character. */
  icon?: string | null | undefined;
  /** A label for your own use. It has no effect on the schedule. */
  isDailyRoutine?: boolean | null | undefined;
  /** The points that a completion earns: more than 0, at most 1,000,000,000. */
  points?: number | null | undefined;
  /** When to be asked for the task: at most 5 times. */
  reminders?: Array<ReminderInput> | null | undefined;
  /** When the task is due. Without a schedule, it is due every day. */
  schedule?: ScheduleInput | null | undefined;
  /** The heading under which the task stands in the list: 1 to 30 characters. A section that is there already keeps its spelling. */
  section?: string | null | undefined;
  /** At most 8 words of 1 to 30 characters, no two alike. */
  tags?: Array<string> | null | undefined;
  /** The amount that completions must reach, or for a limit must not exceed. Without a target, one completion is enough. */
  target?: TargetInput | null | undefined;
  /** The display name, not blank, at most 500 characters. */
  title: string;
};

/** The credentials of an account. */
export type LogInInput = {
  /** The e-mail address of the account, whatever its case. */
  email: string;
  /** The password of the account. */
  password: string;
};

/** The length of a period: a week of the user, or a calendar month. */
export type Period =
  /** A calendar month. */
  | 'MONTH'
  /** A week, which begins on the first day of the user's week. */
  | 'WEEK';

/** A time at which to be asked for a task. */
export type ReminderInput = {
  /** The time, on your clock. */
  at: string;
  /** The days on which it rings; null: all seven. */
  weekdays?: Array<Weekday> | null | undefined;
};

/** When a task is due. Give exactly one of the three. */
export type ScheduleInput =
  {   /** Due again so many days after it was last kept: 2 to 365. */
  every: number; times?: never; weekdays?: never; }
  |  { every?: never;   /** So many days of each week or month. */
  times: TimesInput; weekdays?: never; }
  |  { every?: never; times?: never;   /** Any of the seven, at least one. */
  weekdays: Array<Weekday>; };

/** An account to create. */
export type SignUpInput = {
  /** The e-mail address: unique among all accounts, whatever its case, at most 320 characters. */
  email: string;
  /** The display name, not blank, at most 200 characters, none of them invisible. */
  name: string;
  /** The password: at least 6 characters. Every character of a long one counts. */
  password: string;
};

/** How a day affects a streak. The first missed day is BROKEN, and the missed days after it are NONE. Today is NONE until something is done. */
export type StreakEffect =
  /** The streak ended with this day, because what was due was not done. */
  | 'BROKEN'
  /** The streak goes on with this day. */
  | 'CONTINUED'
  /** The day has no effect: there was no streak to continue, or today is not over yet. */
  | 'NONE'
  /** A streak begins with this day. */
  | 'STARTED';

/** The amount that completions must reach, or for a limit must not exceed. */
export type TargetInput = {
  /** The amount: more than 0, or for a limit also 0, at most 1,000,000,000, with three decimals at most. */
  amount: number;
  /** Whether the amount must be reached, or must not be exceeded. It can change only while the task has no completions. */
  kind?: TargetKind | null | undefined;
  /** The period over which amounts are added up. A week or month needs the schedule of every day, and a completion without an amount then adds 1. */
  per?: TargetPeriod | null | undefined;
  /** What is counted, such as glasses: 1 to 30 characters. */
  unit: string;
};

/** Whether the amount of a target must be reached, or must not be exceeded. */
export type TargetKind =
  /** A goal: the amount must be reached. */
  | 'AT_LEAST'
  /** A limit: the amount must not be exceeded. A limit asks for nothing, and earns no points. */
  | 'AT_MOST';

/** The period over which the amounts of a target are added up. */
export type TargetPeriod =
  /** Each day. */
  | 'DAY'
  /** A calendar month. */
  | 'MONTH'
  /** A week, which begins on the first day of the user's week. */
  | 'WEEK';

/** A number of kept days in each week or month. */
export type TimesInput = {
  /** The period: a week or a month. */
  per: Period;
  /** How many days: 1 to 7 a week, 1 to 31 a month. */
  times: number;
};

/** A day of the week. */
export type Weekday =
  /** Friday. */
  | 'FRIDAY'
  /** Monday. */
  | 'MONDAY'
  /** Saturday. */
  | 'SATURDAY'
  /** Sunday. */
  | 'SUNDAY'
  /** Thursday. */
  | 'THURSDAY'
  /** Tuesday. */
  | 'TUESDAY'
  /** Wednesday. */
  | 'WEDNESDAY';

export type SignUpMutationVariables = Exact<{
  input: SignUpInput;
}>;


export type SignUpMutation = { signUp: { token: string, user: { name: string } } | null };

export type LogInMutationVariables = Exact<{
  input: LogInInput;
}>;


export type LogInMutation = { logIn: { token: string, user: { name: string } } | null };

export type AddTaskMutationVariables = Exact<{
  input: CreateTaskInput;
}>;


export type AddTaskMutation = { createTask: { task: { id: string, title: string } } | null };

export type TasksQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type TasksQuery = { tasks: { nodes: Array<{ id: string, title: string, points: number, completionCount: number, lastCompletedAt: string | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type CompleteMutationVariables = Exact<{
  taskId: string;
}>;


export type CompleteMutation = { completeTask: { task: { title: string, completionCount: number }, user: { points: number, streak: { count: number } } } | null };

export type MonthQueryVariables = Exact<{
  from: string;
  to: string;
}>;


export type MonthQuery = { me: { calendar: Array<{ date: string, completions: number, streakEffect: StreakEffect }> } };


export const SignUpDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SignUp"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"SignUpInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"signUp"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"token"}},{"kind":"Field","name":{"kind":"Name","value":"user"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]} as unknown as DocumentNode<SignUpMutation, SignUpMutationVariables>;
export const LogInDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"LogIn"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"LogInInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"logIn"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"token"}},{"kind":"Field","name":{"kind":"Name","value":"user"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]} as unknown as DocumentNode<LogInMutation, LogInMutationVariables>;
export const AddTaskDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"AddTask"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateTaskInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createTask"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"task"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}}]}}]}}]}}]} as unknown as DocumentNode<AddTaskMutation, AddTaskMutationVariables>;
export const TasksDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Tasks"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"tasks"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"100"}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"completionCount"}},{"kind":"Field","name":{"kind":"Name","value":"lastCompletedAt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]} as unknown as DocumentNode<TasksQuery, TasksQueryVariables>;
export const CompleteDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"Complete"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"taskId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"completeTask"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"taskId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"taskId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"task"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"completionCount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"user"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"streak"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"count"}}]}}]}}]}}]}}]} as unknown as DocumentNode<CompleteMutation, CompleteMutationVariables>;
export const MonthDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Month"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"from"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Date"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"to"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Date"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"me"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"calendar"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"from"},"value":{"kind":"Variable","name":{"kind":"Name","value":"from"}}},{"kind":"Argument","name":{"kind":"Name","value":"to"},"value":{"kind":"Variable","name":{"kind":"Name","value":"to"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"completions"}},{"kind":"Field","name":{"kind":"Name","value":"streakEffect"}}]}}]}}]}}]} as unknown as DocumentNode<MonthQuery, MonthQueryVariables>;