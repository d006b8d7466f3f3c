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
          completionCount
          lastCompletion {
            id
          }
        }
      }
    }
  }
`);

export const COMPLETE = graphql(`
  mutation Complete($taskId: ID!, $key: String!) {
    completeTask(taskId: $taskId, idempotencyKey: $key) {
      isReplayed
      task {
        id
        today {
          date
          completionCount
          lastCompletion {
            id
          }
        }
      }
    }
  }
`);

export const PROGRESS = graphql(`
  subscription Progress {
    progressChanged {
      kind
      task {
        id
        today {
          date
          completionCount
          lastCompletion {
            id
          }
        }
      }
    }
  }
`);
