/** The ready tabs, in their order. */
export const documents = [
  `# Sign up: put the cursor into SignUp and press Ctrl-Enter, or choose it at the play button. Been here before? LogIn.
# Then copy the token of the answer into the headers of the other tabs, in the place of TOKEN.
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
  `# A task is something to do again and again. Below, put the id of your own in the place of 1.
mutation CreateTask {
  createTask(input: { title: "Swim 1 km", points: 15 }) { task { id title points } }
}

# Points count every time, the streak grows once a day.
mutation CompleteTask {
  completeTask(taskId: 1) {
    completion { id completedAt }
    user { points streak { count } }
  }
}

# As an app shows it first. Add a field: Ctrl-Space shows what there is.
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
  `# Run it and leave it running, complete a task in a second window, and look here.
subscription LiveProgress {
  progressChanged {
    kind
    user { points streak { count doneToday } }
    task { title completionCount }
  }
}
`,
];
