import { graphql } from './gql/index.ts';

export const LOG_IN = graphql(`
  mutation LogIn($input: LogInInput!) {
    logIn(input: $input) {
      token
      expiresAt
    }
  }
`);

export const TASKS = graphql(`
  query Tasks {
    tasks(first: 100) {
      nodes {
        id
        title
        today {
          date
          completions
          lastCompletionId
        }
      }
    }
  }
`);

export const COMPLETE = graphql(`
  mutation Complete($taskId: ID!, $key: String!) {
    completeTask(taskId: $taskId, idempotencyKey: $key) {
      replayed
      task {
        id
        today {
          date
          completions
          lastCompletionId
        }
      }
    }
  }
`);

export const SEND = graphql(`
  mutation Send($taps: [CompletionInput!]!) {
    completeTasks(input: $taps) {
      results {
        replayed
        error {
          reason
        }
      }
    }
  }
`);

export const PROGRESS = graphql(`
  subscription Progress {
    progressChanged {
      cause
      task {
        id
        today {
          date
          completions
          lastCompletionId
        }
      }
    }
  }
`);
