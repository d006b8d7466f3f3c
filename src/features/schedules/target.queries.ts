import { type RawBuilder, sql } from 'kysely';

type Part = RawBuilder<unknown>;

/** Tells of a row of `tasks` whether it is a limit, or has a target of a week or month: then amounts add up by themselves. */
export const doesAddUp = sql`(tasks.target_kind is not null or tasks.target_period is not null)`;

/** What a completion without an amount adds. */
export const amountOfOne = sql`(case when ${doesAddUp} then 1 else tasks.target_amount end)`;

/**
 * What the completions of a group add up to, in thousandths: exact as far as targets reach, and more than any of them
 * beyond that.
 */
export const thousandths = (ofOne: Part) =>
  sql`least(sum(coalesce(task_completions.amount, ${ofOne})) * 1000, 1000000000000000)::float8`;

/** The goal of a day: its amounts add up to the target. A completion without one counts as the whole. */
export const goalReached = (target: Part) =>
  sql`(${target} is null or sum(coalesce(task_completions.amount, ${target})) >= ${target})`;

/** What the amounts of a day must reach; null where any completion will do. */
export const targetOfDay = sql`(case when not ${doesAddUp} then tasks.target_amount end)`;

export const goalOfTaskReached = goalReached(targetOfDay);

/** Tells of a completion whether it earns points. A record of a limit is none of what the user has done. */
export const earnsPoints = sql`task_completions.points > 0`;
