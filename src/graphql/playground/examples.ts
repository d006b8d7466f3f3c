/** A tab that a newcomer sees. A test checks every one against `schema.graphql`. */
interface Example {
  query: string;
  variables?: Record<string, unknown>;
}

/** The tabs, in their order. */
export const examples: Example[] = [
  {
    query: `# Sign up: press Ctrl-Enter, or the play button.
# The token is kept, and sent from now on.
# Been here before? Use the second tab, LogIn.
#
# No mouse? Tab to a box, Enter to write in it,
# Escape to leave it.
mutation SignUp($input: SignUpInput!) {
  signUp(input: $input) {
    token
    expiresAt
    user {
      id
      name
      email
    }
  }
}
`,
    variables: { input: { name: 'Ben', email: 'ben@example.com', password: 'one step a day' } },
  },
  {
    query: `# Log in, once you have signed up: a new token
# takes the place of the one that was kept.
mutation LogIn($input: LogInInput!) {
  logIn(input: $input) {
    token
    expiresAt
    user {
      name
      email
    }
  }
}
`,
    variables: { input: { email: 'ben@example.com', password: 'one step a day' } },
  },
  {
    query: `# Create a task: something to do again and again.
# The next tabs fill in its id by themselves.
mutation CreateTask($input: CreateTaskInput!) {
  createTask(input: $input) {
    task {
      id
      title
      points
      isDailyRoutine
    }
  }
}
`,
    variables: { input: { title: 'Swim 1 km', points: 15, isDailyRoutine: true } },
  },
  {
    query: `# Complete the task: run it. Points count every
# time, the streak grows once a day. The id in the
# variables is that of the task you saw last.
mutation CompleteTask($taskId: ID!) {
  completeTask(taskId: $taskId) {
    completion {
      id
      completedAt
    }
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
`,
    variables: { taskId: '' },
  },
  {
    query: `# Today, as an app shows it first: what is due, done
# or not, and whether the streak is at risk. It is
# your own day: updateProfile sets the time zone.
query Today {
  me {
    today
    streak {
      count
      doneToday
      atRisk
    }
  }
  tasks(today: DUE) {
    nodes {
      id
      title
      today {
        state
        amount
        left
        lastCompletionId
      }
      streak {
        unit
        count
      }
    }
  }
}
`,
  },
  {
    query: `# Take the last completion back, within a week.
# Points and streak are as if it had never been.
mutation Undo($completionId: ID!) {
  undoCompletion(id: $completionId) {
    task {
      id
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
`,
    variables: { completionId: '' },
  },
  {
    query: `# Tasks with counts, and where you stand: run it.
# Then add a field: Ctrl-Space shows what there is.
query TasksWithCounts {
  tasks {
    nodes {
      id
      title
      points
      completionCount
    }
    totalCount
  }
  me {
    points
    streak {
      count
    }
  }
}
`,
  },
  {
    query: `# The last four weeks, for a picture of them: of all
# tasks, and of the task you saw last. There is one
# entry for each day, in your own time zone.
query Calendar($last: Int!, $taskId: ID!) {
  me {
    timeZone
    streak {
      count
      longest
    }
    calendar(last: $last) {
      date
      completions
      points
      streakEffect
    }
  }
  task(id: $taskId) {
    title
    calendar(last: $last) {
      date
      completions
    }
  }
}
`,
    variables: { last: 28, taskId: '' },
  },
  {
    query: `# Challenges to accept, and how yours is going: run
# it. To accept the first one, put the cursor in
# AcceptChallenge and press Ctrl-Enter.
query Challenges {
  challengeTemplates {
    id
    title
    durationDays
  }
  activeChallenge {
    id
    template {
      title
    }
    startDate
    progress {
      daysDone
      daysElapsed
      daysTotal
    }
  }
}

mutation AcceptChallenge($templateId: ID!) {
  acceptChallenge(templateId: $templateId) {
    challenge {
      id
      status
      template {
        title
      }
    }
  }
}
`,
    variables: { templateId: '' },
  },
  {
    query: `# The end of your challenge: you have done it. Where
# you have not, abandonChallenge(id: …) ends it too.
mutation EndChallenge($challengeId: ID!) {
  completeChallenge(id: $challengeId) {
    challenge {
      id
      status
      completedAt
    }
  }
}
`,
    variables: { challengeId: '' },
  },
  {
    query: `# Live progress: run it, and leave it running.
# Open this page in a second browser window, where
# you are signed in as well, complete a task there,
# and look here. Choosing another tab of this page
# ends it.
subscription LiveProgress {
  progressChanged {
    cause
    user {
      points
      streak {
        count
        doneToday
      }
    }
    task {
      title
      completionCount
    }
  }
}
`,
  },
  {
    query: `# Delete a task for good, with its completions: points
# and streak are as if it had never been. archiveTask
# keeps what was done.
mutation DeleteTask($taskId: ID!) {
  deleteTask(id: $taskId) {
    taskId
    user {
      points
      streak {
        count
      }
    }
  }
}
`,
    variables: { taskId: '' },
  },
];
