// What clients ask by GraphQL. The baseline knows an operation by its text, so it is the same text each time.

export const LIST =
  '{ tasks { nodes { id title description points isDailyRoutine completionCount createdAt updatedAt } } }';

export const COMPLETE =
  'mutation ($taskId: ID!) { completeTask(taskId: $taskId) { completion { id points completedAt } task { id completionCount } user { points currentStreak } } }';

export const PROFILE =
  '{ me { id name email profilePicture points currentStreak maxStreak createdAt updatedAt } }';

export const NESTED =
  '{ me { id name points currentStreak activeChallenge { id status createdAt template { id title durationDays } } } tasks { nodes { id title points completionCount } } }';
