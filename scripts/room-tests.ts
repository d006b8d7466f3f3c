const standalone = (...names: string[]) => names.map((name) => `test/standalone/${name}.test.ts`);

/** The tests of each folder of `src`, and of others, that run in less than a minute: for `npm run check:quick`. */
export const roomTests: Record<string, string[]> = {
  accounts: ['test/accounts/', ...standalone('passwords', 'api-token-text', 'characters')],
  backup: ['test/backup/', ...standalone('doctor')],
  challenges: ['test/challenges/'],
  commands: standalone('commands', 'operator-commands', 'process'),
  config: standalone('environment', 'wrong-configurations', 'secret-files', 'process'),
  database: ['test/database/', ...standalone('statement', 'violations')],
  doctor: standalone('doctor'),
  graphql: ['test/graphql/', 'test/live/', ...standalone('schema', 'trusted-documents', 'turns')],
  http: ['test/http/', ...standalone('admission', 'http-server', 'unread', 'answer-size')],
  page: ['test/http/page.test.ts', 'test/standalone/page', ...standalone('first-minute')],
  rest: ['test/rest/', ...standalone('openapi', 'api-types', 'json-weight')],
  startup: standalone('first-minute', 'process', 'wrong-configurations', 'environment'),
  streaks: ['test/streaks/'],
  takeout: ['test/takeout/', ...standalone('loop-file', 'spool')],
  tasks: ['test/tasks/'],
  telemetry: ['test/telemetry/', ...standalone('log', 'readable-log', 'dashboards')],
  src: ['test/faces/', ...standalone('process', 'characters')],
  migrations: ['test/database/database.test.ts', 'test/database/sql.test.ts'],
  scripts: standalone('hygiene', 'supply-chain', 'openapi-changes', 'schema-changes'),
  examples: ['test/graphql/client-examples.test.ts', ...standalone('clients-doc', 'dashboards')],
  docs: standalone('hygiene', 'clients-doc', 'errors-doc', 'libraries'),
};
