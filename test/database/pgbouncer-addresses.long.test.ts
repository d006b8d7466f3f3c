import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { readConfig } from '../../src/config.js';
import { examine } from '../../src/doctor/examination.js';
import { openDatabase } from '../../src/startup/instance.js';
import { explainStartError } from '../../src/startup/start-errors.js';
import { startPgBouncer } from '../support/pgbouncer.js';
import { connect, type Pooled, startPooled } from '../support/pooled.js';
import { startService, temporaryFolder } from '../support/process.js';
import { needs } from '../support/tools.js';
import { SECRET } from '../support/world.js';

/** How a pooler in session mode is told to take what it cannot do. */
const TOLERANT = {
  ignore_startup_parameters: 'options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout',
};

describe(
  'An address that is wrong ends the start with a line that names the setting',
  needs('PgBouncer'),
  () => {
    let pooled: Pooled;
    beforeAll(async () => {
      pooled = await startPooled();
    });
    afterAll(() => pooled?.stop());
    const newDatabase: Pooled['newDatabase'] = (template) => pooled.newDatabase(template);

    const fault = async (environment: Record<string, string>) => {
      try {
        await (await openDatabase(readConfig({ ...environment, DATABASE_START_TIMEOUT: '0' }))).close();
        return 'It starts.';
      } catch (error) {
        return explainStartError(error);
      }
    };
    const wrongIn = async (environment: Record<string, string>) =>
      (await examine(systemClock, environment))
        .filter(({ state }) => state === 'wrong')
        .map(({ message, fix }) => `${message}. ${fix}`);

    const MISSING = expect.stringMatching(
      /^DATABASE_URL leads to a pooler, .+ Set DATABASE_DIRECT_URL to the server itself, .+\.$/,
    );
    const DIRECT = expect.stringMatching(
      /^DATABASE_DIRECT_URL leads to a pooler, .+ Set it to the server itself/,
    );

    it('when the way past the pooler is missing', async () => {
      const { DATABASE_URL } = await newDatabase();
      expect(await fault({ DATABASE_URL })).toEqual(MISSING);
      expect(await wrongIn({ DATABASE_URL })).toEqual([MISSING]);
      const service = startService({ DATABASE_URL, DATA_DIR: temporaryFolder(), JWT_SECRET: SECRET });
      expect([await service.exited, service.output.trim()]).toEqual([1, MISSING]);
    });

    it('when it is missing, and the pooler says nothing of it', async () => {
      const tolerant = await startPgBouncer(pooled.server.url('postgres'), TOLERANT);
      onTestFinished(() => tolerant.stop());
      const { DATABASE_DIRECT_URL } = await newDatabase();
      const DATABASE_URL = tolerant.through(DATABASE_DIRECT_URL);
      expect(await fault({ DATABASE_URL })).toEqual(MISSING);
      expect(await wrongIn({ DATABASE_URL })).toEqual([MISSING]);
      const other = await connect(DATABASE_URL);
      expect((await other.query('show default_transaction_read_only')).rows).toEqual([
        { default_transaction_read_only: 'off' },
      ]);
      expect(await fault({ DATABASE_URL: `${DATABASE_URL}?`, DATABASE_DIRECT_URL: DATABASE_URL })).toEqual(
        DIRECT,
      );
    });

    it('when it leads to the pooler, too', async () => {
      const { DATABASE_URL } = await newDatabase();
      const twice = { DATABASE_URL: `${DATABASE_URL}?keepalives=1`, DATABASE_DIRECT_URL: DATABASE_URL };
      expect(await fault(twice)).toEqual(DIRECT);
      expect(await wrongIn(twice)).toEqual([DIRECT]);
    });

    it('when the two lead to different databases', async () => {
      const [{ DATABASE_URL }, { DATABASE_DIRECT_URL }] = [
        await newDatabase(),
        await newDatabase('template0'),
      ];
      const line =
        'DATABASE_DIRECT_URL and DATABASE_URL lead to different databases. Set both to the same one: through the pooler, and to the server itself.';
      expect(await fault({ DATABASE_URL, DATABASE_DIRECT_URL })).toBe(line);
      expect(await wrongIn({ DATABASE_URL, DATABASE_DIRECT_URL })).toEqual([line]);
      const direct = await connect(DATABASE_DIRECT_URL);
      expect((await direct.query("select to_regclass('tasks') as made")).rows).toEqual([{ made: null }]);
    });

    it('when one of them leads nowhere', async () => {
      const { DATABASE_URL, DATABASE_DIRECT_URL } = await newDatabase();
      const nowhere = 'postgres://postgres@127.0.0.1:1/steady';
      expect(await fault({ DATABASE_URL: nowhere, DATABASE_DIRECT_URL })).toMatch(
        /^The database of DATABASE_URL cannot/,
      );
      expect(await fault({ DATABASE_URL, DATABASE_DIRECT_URL: nowhere })).toMatch(
        /^The database of DATABASE_DIRECT_URL cannot/,
      );
    });

    it('and a right one is found to be right', async () => {
      const addresses = await newDatabase();
      expect(await wrongIn(addresses)).toEqual([]);
    });
  },
);
