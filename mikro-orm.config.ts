import { ReflectMetadataProvider } from '@mikro-orm/decorators/legacy';
import { Migrator } from '@mikro-orm/migrations';
import { Baseline } from './migrations/0001_baseline.js';
import { Listener } from './src/database/announcements/listener.entity.js';
import type { Model } from './src/database/backend.js';
import { BASELINE, inOrder } from './src/database/migrations.js';
import { serverOptions } from './src/database/server/open.js';
import { readConfig } from './src/features/settings.js';
import { features } from './src/features.js';
import { Job } from './src/jobs/job.entity.js';

/** The entities and migrations of the database. */
export const model: Model = {
  entities: [...features.flatMap(({ entities = [] }) => entities), Listener, Job],
  metadataProvider: ReflectMetadataProvider,
  extensions: [Migrator],
  schemaGenerator: { ignoreRoutines: true }, // no entity declares functions
  migrations: {
    snapshot: false,
    silent: true,
    migrationsList: inOrder([
      { name: BASELINE, class: Baseline },
      ...features.flatMap(({ migrations = [] }) => migrations),
    ]),
  },
};

/** For MikroORM's command line, which calls this with arguments of its own and needs a server. */
export default () => {
  const { databaseUrl, databasePoolSize, timeouts } = readConfig();
  if (!databaseUrl) throw new Error('Set DATABASE_URL: the command line needs a PostgreSQL server');
  return serverOptions(model, { url: databaseUrl, poolSize: databasePoolSize, patience: timeouts.patience });
};
