/** The built service, with the types of its sources: Node does not run their decorators. */
const built = <Module>(file: string): Promise<Module> => import(`../dist/modules/${file}`);

export const { systemClock } = await built<typeof import('../src/clock.js')>('src/clock.js');
export const { readConfig } = await built<typeof import('../src/config.js')>('src/config.js');
export const { Tokens } = await built<typeof import('../src/accounts/tokens.js')>('src/accounts/tokens.js');
export const { openDatabase } =
  await built<typeof import('../src/startup/instance.js')>('src/startup/instance.js');

export const { Callers } =
  await built<typeof import('../src/accounts/callers.js')>('src/accounts/callers.js');

// The layers of a request, as `app.ts` composes them.
export const { AccountService } = await built<typeof import('../src/accounts/account.service.js')>(
  'src/accounts/account.service.js',
);
export const { TaskService } =
  await built<typeof import('../src/tasks/task.service.js')>('src/tasks/task.service.js');
export const { admission, admissionLine } =
  await built<typeof import('../src/http/admission.js')>('src/http/admission.js');
export const { cors, safeHeaders } =
  await built<typeof import('../src/http/answers.js')>('src/http/answers.js');
export const { trust } = await built<typeof import('../src/http/address.js')>('src/http/address.js');
export const { httpServer, withShortcuts } =
  await built<typeof import('../src/http/server.js')>('src/http/server.js');
export const { accountRoutes } = await built<typeof import('../src/rest/account.routes.js')>(
  'src/rest/account.routes.js',
);
export const { restRoutes } = await built<typeof import('../src/rest/router.js')>('src/rest/router.js');
export const { taskRoutes } =
  await built<typeof import('../src/rest/task.routes.js')>('src/rest/task.routes.js');
