import { describe, expect, it, onTestFailed, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.js';
import { withServer } from '../support/with-server.js';
import { lossesOf, tally } from './account.js';
import { storm } from './faults.js';
import { Load } from './load.js';
import { Random } from './random.js';
import { foundTown, SLEEPERS, type Town } from './town.js';

const first = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000_000);
const rounds = Number(process.env.CHAOS_ROUNDS ?? 4);
const seeds = Array.from({ length: rounds }, (_, round) => first + round);

/** In milliseconds: the five seconds of the schedule, and some more. */
const JOB_AFTER = 7_000;

const ROUND_LIMIT = 240_000;

describe('Two processes on one PostgreSQL server, over a midnight,', () => {
  const server = withServer();

  /** A town under load, with its midnight at a random moment of what is to come. */
  async function town(random: Random) {
    const founded = await foundTown(server, {
      untilMidnight: random.whole(15_000, 25_000),
      skew: random.whole(200, 1_000),
    });
    onTestFinished(() => founded.close());
    onTestFailed(() => console.error(founded.diary.lines.join('\n')));
    return { town: founded, load: new Load(founded, random.another()) };
  }

  /**
   * After the last fault: everything is as the clients were told, and works again. Without answers of the kinds of
   * `proving` among what they heard, nothing was proved.
   */
  async function reckon(seed: number, town: Town, load: Load, proving: (keyof ReturnType<typeof tally>)[]) {
    const { services } = town;
    await load.stop();
    await eventually(() => Date.now() > town.midnights[1] + JOB_AFTER);
    const heard = tally(load);
    const jobs = await town.rows('select corrected, ended_at is not null as is_whole from streak_runs');
    console.info(`CHAOS_SEED=${seed} CHAOS_ROUNDS=1`, JSON.stringify({ ...heard, jobs }));
    expect(await lossesOf(load, town)).toEqual([]);
    expect(services.flatMap(({ deaths }) => deaths)).toEqual([]);
    for (const service of services) {
      await eventually(() => service.isWhole());
    }

    // Who starts makes up for what the faults kept the job from.
    for (const service of services) {
      expect(await service.end('SIGTERM')).toBe(0);
      await service.start();
    }
    expect(await town.rows(wrongStreaks(town.tomorrow))).toEqual([]);
    expect(await town.rows('select sum(corrected)::int as corrected from streak_runs')).toEqual([
      { corrected: SLEEPERS },
    ]);
    expect(await town.command('streaks-verify')).toEqual([0, 'Every counter agrees with its history.\n']);
    for (const answer of proving) expect(heard[answer], answer).toBeGreaterThan(0);
  }

  it.each(seeds)(
    'lose and double nothing in a storm of faults (seed %i)',
    async (seed) => {
      const random = new Random(seed);
      const { town: here, load } = await town(random);
      await storm(here, random);
      await reckon(seed, here, load, ['done', 'notApplied', 'unknown', 'again']);
    },
    ROUND_LIMIT,
  );
});

/** From the completions alone. */
const wrongStreaks = (today: string) => `
  with days as (
    select distinct user_id, (completed_at at time zone 'UTC')::date as day from task_completions
  ), runs as (
    select user_id, max(day) as last, count(*)::int as length
    from (select *, day - row_number() over (partition by user_id order by day)::int as run from days) numbered
    group by user_id, run
  ), truth as (
    select distinct on (user_id) user_id, max(length) over (partition by user_id) as longest,
      case when last >= date '${today}' - 1 then length else 0 end as current
    from runs order by user_id, last desc
  ), earned as (
    select user_id, sum(points) as points from task_completions group by user_id
  )
  select user_id, current_streak, current, max_streak, longest, user_progress.points, earned.points as earned
  from user_progress left join truth using (user_id) left join earned using (user_id)
  where (current_streak, max_streak, user_progress.points)
    is distinct from (coalesce(current, 0), coalesce(longest, 0), coalesce(earned.points, 0))
`;
