import type { Clock } from '../../base/clock.js';
import { invalid, limitReached, missing } from '../../base/errors.js';
import { ApiScope, type Caller } from '../../base/scopes.js';
import type { Database } from '../../database/database.js';
import type { AccountTables } from './account.queries.js';
import type { AccountService } from './account.service.js';
import { API_TOKEN_DAYS, type CreateApiTokenInput } from './api-token.input.js';
import {
  type ApiTokenRow,
  type ApiTokenTables,
  apiTokenColumns,
  deleteApiToken,
  insertApiToken,
  listOf,
} from './api-token.queries.js';
import { endingOf, newApiToken } from './api-token-text.js';
import type { Callers } from './callers.js';
import { accountLimits } from './limits.js';
import { digestOf } from './secret.js';
import { UUID } from './tokens.js';

/** All but the token itself, which is stored nowhere. */
export type KnownApiToken = Omit<ApiTokenRow, 'scopes'> & { scopes: ApiScope[] };

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Makes API tokens, lists them and takes them back. */
export class ApiTokenService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly accounts: AccountService,
    private readonly callers: Callers,
  ) {}

  async create(
    caller: Caller,
    { name, scopes, expiresAt }: CreateApiTokenInput,
  ): Promise<{ token: string; apiToken: KnownApiToken }> {
    const createdAt = this.clock.now();
    if (expiresAt && expiresAt <= createdAt) throw invalid('Expires at must be in the future', 'expiresAt');
    const { userId } = caller;
    const token = newApiToken();
    const row = {
      userId,
      name,
      hash: digestOf(token),
      scopes: Object.values(ApiScope)
        .filter((scope) => scopes.includes(scope))
        .join(' '),
      ending: endingOf(token),
      createdAt,
      expiresAt:
        expiresAt === undefined ? new Date(createdAt.getTime() + API_TOKEN_DAYS * DAY_MS) : expiresAt,
    };
    return this.database.transaction(async (tx) => {
      const query = tx.getKysely<AccountTables & ApiTokenTables>();
      await this.accounts.requireSession(query, caller);
      await this.accounts.lock(query, userId);
      const { rows } = await insertApiToken(row, accountLimits.apiTokens).execute(query);
      if (!rows[0]) throw limitReached(`You can have at most ${accountLimits.apiTokens} API tokens`);
      return { token, apiToken: shown(rows[0]) };
    });
  }

  /** Newest first. */
  async list(userId: string): Promise<KnownApiToken[]> {
    const rows = await listOf(this.database.query<ApiTokenTables>(), userId);
    return rows.map(shown);
  }

  /** Once it resolves, this process refuses the token. */
  async delete(userId: string, id: string): Promise<void> {
    if (!UUID.test(id)) throw missing('API token');
    const query = this.database.query<ApiTokenTables>();
    const { rows } = await deleteApiToken(userId, id).execute(query);
    if (!rows[0]) throw missing('API token');
    this.callers.forget(userId);
  }
}

const shown = (row: ApiTokenRow): KnownApiToken => ({
  ...apiTokenColumns.from(row),
  scopes: row.scopes.split(' ') as ApiScope[],
});
