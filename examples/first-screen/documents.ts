import { graphql } from './gql/index.ts';

export const DAY = graphql(`
  fragment DayOnScreen on CalendarDay {
    date
    completions
    points
    streakEffect
  }
`);

export const USER = graphql(`
  fragment UserOnScreen on User {
    id
    name
    points
    today
    timeZone
    dayStartsAt
    streak {
      unit
      count
      longest
      doneToday
      atRisk
      aliveUntil
    }
  }
`);

export const TASK = graphql(`
  fragment TaskOnScreen on Task {
    id
    title
    target {
      amount
      unit
    }
    today {
      date
      state
      completions
      amount
      left
      lastCompletionId
    }
    streak {
      unit
      count
      longest
      doneToday
      atRisk
      aliveUntil
    }
    calendar(from: $recent, to: $to) {
      ...DayOnScreen
    }
  }
`);

/** All that the first screen shows: today's ticks, the streaks and the year. */
export const FIRST_SCREEN = graphql(`
  query FirstScreen($from: Date!, $recent: Date!, $to: Date!) {
    me {
      ...UserOnScreen
      calendar(from: $from, to: $to) {
        ...DayOnScreen
      }
    }
    tasks(first: 100) {
      nodes {
        ...TaskOnScreen
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

/** What changes of the user: a few days are enough of the year. */
export const USER_WITH_RECENT_DAYS = graphql(`
  fragment UserWithRecentDays on User {
    ...UserOnScreen
    calendar(from: $recent, to: $to) {
      ...DayOnScreen
    }
  }
`);

/** The answer holds all that a completion changes on the screen. */
export const TAP = graphql(`
  mutation Tap($taskId: ID!, $key: String!, $at: DateTime, $recent: Date!, $to: Date!) {
    completeTask(taskId: $taskId, idempotencyKey: $key, at: $at) {
      task {
        ...TaskOnScreen
      }
      user {
        ...UserWithRecentDays
      }
    }
  }
`);

export const UNDO = graphql(`
  mutation Undo($completionId: ID!, $recent: Date!, $to: Date!) {
    undoCompletion(id: $completionId) {
      task {
        ...TaskOnScreen
      }
      user {
        ...UserWithRecentDays
      }
    }
  }
`);

/** What other devices do. */
export const NEWS = graphql(`
  subscription News($recent: Date!, $to: Date!) {
    progressChanged {
      task {
        ...TaskOnScreen
      }
      user {
        ...UserWithRecentDays
      }
    }
  }
`);
