/** The ready tabs, in their order. */
export const documents = [
  `# Put the cursor into SignUp, press Ctrl-Enter.
# Been here before? LogIn. Then copy the token
# into the headers of the other tabs, for TOKEN.
mutation SignUp {
  signUp(input: { name: "Ben", email: "ben@example.com", password: "one step a day" }) {
    token
    expiresAt
  }
}

mutation LogIn {
  logIn(input: { email: "ben@example.com", password: "one step a day" }) {
    token
    expiresAt
  }
}
`,
  `# A task is something to do again and again.
mutation CreateTask {
  createTask(input: { title: "Swim 1 km", points: 15 }) { task { id title points } }
}

# Put the id of your task in the place of 1.
# Points count each time, the streak once a day.
mutation CompleteTask {
  completeTask(taskId: 1) {
    completion { id completedAt }
    user { points streak { count } }
  }
}

# As an app shows it first.
# Ctrl-Space shows the fields that there are.
query Today {
  me { today points streak { count doneToday atRisk } }
  tasks(today: PLANNED) { nodes { id title completionCount today { state amount remaining lastCompletion { id } } } }
}

query Calendar {
  me { timeZone calendar(last: 28) { date completionCount points streakEffect } }
}

query Challenges {
  challengeTemplates { id title durationDays }
  activeChallenge { id template { title } progress { daysDone daysElapsed daysTotal } }
}
`,
  `# Run it and leave it running, complete a task
# in a second window, and look here.
subscription LiveProgress {
  progressChanged {
    kind
    user { points streak { count doneToday } }
    task { title completionCount }
  }
}
`,
];
