/** The built service, with the types of its sources: Node does not run their decorators. */
const built = <Module>(file: string): Promise<Module> => import(`../dist/${file}`);

export const { options, UsageError } =
  await built<typeof import('../src/commands/arguments.js')>('src/commands/arguments.js');
export const { createService, declaredSchema } = await built<typeof import('../src/app.js')>('src/app.js');
export const { Passwords } =
  await built<typeof import('../src/accounts/passwords.js')>('src/accounts/passwords.js');
export const { createLog } = await built<typeof import('../src/log.js')>('src/log.js');
export const { systemClock } = await built<typeof import('../src/clock.js')>('src/clock.js');
export const { openServer, unhurried } = await built<typeof import('../src/database/server/open.js')>(
  'src/database/server/open.js',
);
export const { readConfig } = await built<typeof import('../src/config.js')>('src/config.js');
export const { StreakJob } =
  await built<typeof import('../src/streaks/streak.job.js')>('src/streaks/streak.job.js');
export const { dayOf } = await built<typeof import('../src/streaks/streak.js')>('src/streaks/streak.js');
export const { insertCompletion } = await built<typeof import('../src/tasks/completion.queries.js')>(
  'src/tasks/completion.queries.js',
);
export const { Tokens } = await built<typeof import('../src/accounts/tokens.js')>('src/accounts/tokens.js');
export const { model } = await built<typeof import('../mikro-orm.config.js')>('mikro-orm.config.js');
export const { openDatabase } =
  await built<typeof import('../src/startup/instance.js')>('src/startup/instance.js');
