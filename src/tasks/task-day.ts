import { registerEnumType } from 'type-graphql';

export const TaskDay = { OPEN: 'OPEN', KEPT: 'KEPT', DUE: 'DUE', NOT_DUE: 'NOT_DUE' } as const;
export type TaskDay = keyof typeof TaskDay;

registerEnumType(TaskDay, {
  name: 'TaskDay',
  description: "How a task stands on the user's day today. Several of these can be true of one task.",
  valuesConfig: {
    OPEN: { description: 'The task asks for something now.' },
    KEPT: { description: 'The task has been kept today.' },
    DUE: {
      description:
        'The schedule has the task today, kept or not. A task that is skipped or paused today is left out unless it is kept.',
    },
    NOT_DUE: { description: 'The task is not DUE today.' },
  },
});
