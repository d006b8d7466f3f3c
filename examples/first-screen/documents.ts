import { graphql } from './gql/index.ts';

export const DAY = graphql(`
  fragment DayOnScreen on UserDay {
    date
    completionCount
    points
    streakEffect
  }
`);

export const STREAK = graphql(`
  fragment StreakOnScreen on Streak {
    unit
    count
    longest
    doneToday
    atRisk
    aliveUntil
  }
`);

/** With the month and the challenge. */
export const USER = graphql(`
  fragment UserOnScreen on User {
    id
    name
    points
    today
    todayEndsAt
    streak {
      ...StreakOnScreen
    }
    calendar(last: 31) {
      ...DayOnScreen
    }
    activeChallenge {
      id
      template {
        id
        title
      }
      progress {
        isTracked
        daysDone
        daysElapsed
        daysTotal
      }
    }
  }
`);

/** With its amounts, its run, its week, and how far its goal of a week or month is. */
export const TASK = graphql(`
  fragment TaskOnScreen on Task {
    id
    title
    target {
      kind
      amount
      unit
      per
    }
    today {
      date
      state
      isDue
      completionCount
      periodAmount
      remaining
      filters
      lastCompletion {
        id
      }
    }
    streak {
      ...StreakOnScreen
    }
    thisPeriod {
      from
      to
      goal
      done
      remaining
      isKept
    }
    nextDueOn
    calendar(last: 7) {
      date
      state
      amount
    }
  }
`);

/** All that the first screen shows. What is due stays in its list when it is done. */
export const FIRST_SCREEN = graphql(`
  query FirstScreen {
    me {
      ...UserOnScreen
    }
    tasks(today: PLANNED, first: 100) {
      nodes {
        ...TaskOnScreen
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
    others: tasks(today: UNPLANNED, first: 100) {
      nodes {
        id
        title
        nextDueOn
      }
    }
  }
`);

/** The answer holds all that a completion changes on the screen. */
export const TAP = graphql(`
  mutation Tap($taskId: ID!, $key: String!, $amount: Float, $at: DateTime) {
    completeTask(taskId: $taskId, idempotencyKey: $key, amount: $amount, at: $at) {
      task {
        ...TaskOnScreen
      }
      user {
        ...UserOnScreen
      }
    }
  }
`);

export const UNDO = graphql(`
  mutation Undo($completionId: ID!) {
    undoCompletion(id: $completionId) {
      task {
        ...TaskOnScreen
      }
      user {
        ...UserOnScreen
      }
    }
  }
`);

/** What other devices do. */
export const NEWS = graphql(`
  subscription News {
    progressChanged {
      kind
      task {
        ...TaskOnScreen
      }
      user {
        ...UserOnScreen
      }
    }
  }
`);
