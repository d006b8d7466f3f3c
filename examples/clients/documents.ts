import { graphql } from './gql/index.ts';

export const HABIT = graphql(`
  fragment Habit on Task { id title today { date completionCount lastCompletion { id } } }
`);

export const LOG_IN = graphql(`
  mutation LogIn($input: LogInInput!) {
    logIn(input: $input) { token expiresAt }
  }
`);

export const TASKS = graphql(`
  query Tasks {
    tasks(first: 100) { nodes { ...Habit } }
  }
`);

export const COMPLETE = graphql(`
  mutation Complete($taskId: ID!, $key: String!) {
    completeTask(taskId: $taskId, idempotencyKey: $key) { isReplayed task { ...Habit } }
  }
`);

export const PROGRESS = graphql(`
  subscription Progress {
    progressChanged { kind task { ...Habit } }
  }
`);
