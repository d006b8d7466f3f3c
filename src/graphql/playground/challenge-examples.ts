import type { Example } from './example.js';

/** The tabs about challenges, in their order. */
export const challengeExamples: Example[] = [
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
];
