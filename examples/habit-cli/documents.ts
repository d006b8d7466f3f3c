import { graphql } from './gql/index.ts';

export const SIGN_UP = graphql(`
  mutation SignUp($input: SignUpInput!) {
    signUp(input: $input) {
      token
      user {
        name
      }
    }
  }
`);

export const LOG_IN = graphql(`
  mutation LogIn($input: LogInInput!) {
    logIn(input: $input) {
      token
      user {
        name
      }
    }
  }
`);

export const ADD_TASK = graphql(`
  mutation AddTask($title: String!, $points: Float) {
    createTask(input: { title: $title, points: $points }) {
      task {
        id
        title
      }
    }
  }
`);

export const TASKS = graphql(`
  query Tasks($after: String) {
    tasks(first: 100, after: $after) {
      nodes {
        id
        title
        points
        completionCount
        lastCompletedAt
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const COMPLETE = graphql(`
  mutation Complete($taskId: ID!) {
    completeTask(taskId: $taskId) {
      task {
        title
        completionCount
      }
      user {
        points
        streak {
          count
        }
      }
    }
  }
`);

export const MONTH = graphql(`
  query Month($from: Date!, $to: Date!) {
    me {
      calendar(from: $from, to: $to) {
        date
        completionCount
        streakEffect
      }
    }
  }
`);
