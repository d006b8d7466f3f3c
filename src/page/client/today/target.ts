import type { Task } from '../sync/types.js';

type Aimed = Pick<Task, 'target'>;

/** What a tap adds. */
export const stepOf = ({ step }: Pick<Task, 'step'>): number => step ?? 1;

export const isLimit = ({ target }: Aimed): boolean => target?.kind === 'AT_MOST';

export const isOfPeriod = ({ target }: Aimed): boolean => target !== null && target.per !== 'DAY';

/** What is reached within a day. */
export const isOfDay = (task: Aimed): boolean => !isLimit(task) && !isOfPeriod(task);

/** What is to be left altogether. */
export const allowsNone = (task: Aimed): boolean => isLimit(task) && task.target?.amount === 0;
