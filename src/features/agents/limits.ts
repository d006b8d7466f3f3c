/** The limits on input and on rows of this feature. */
export const agentLimits = {
  /** Messages in one request, as many as GraphQL takes root fields. */
  messages: 20,
  /** Habits or completions in one answer. */
  rows: 100,
  rowsDefault: 50,
  /** Days of statistics without a range. */
  statisticsDaysDefault: 30,
  /** Days that the explanation of a streak lists. */
  explainedDays: 30,
  /** Habits that a refusal names where a title fits several. */
  named: 10,
  /** How long ago the same may have been recorded that is taken for a repeated call. */
  repeatedSeconds: 120,
} as const;
