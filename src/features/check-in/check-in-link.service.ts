import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import type { Config } from '../../base/config.js';
import { limitReached, missing } from '../../base/errors.js';
import type { Caller } from '../../base/scopes.js';
import type { Database } from '../../database/database.js';
import { violates } from '../../database/violations.js';
import type { AccountService } from '../account/account.service.js';
import { digestOf } from '../account/secret.js';
import { UUID } from '../account/tokens.js';
import type { TaskService } from '../habits/task.service.js';
import type { CreateCheckInLinkArgs } from './check-in-link.input.js';
import {
  type CheckInLinkRow,
  type CheckInTables,
  deleteLink,
  insertLink,
  linksOfTasks,
} from './check-in-link.queries.js';
import { checkInLimits } from './limits.js';
import { newLinkToken } from './link-token.js';

/** Makes check-in links, lists them and takes them back. */
export class CheckInLinkService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly accounts: AccountService,
    private readonly tasks: TaskService,
    private readonly config: Pick<Config, 'publicUrl'>,
  ) {}

  /** The token is told this once. */
  async create(
    caller: Caller,
    { taskId, name, amount = null }: CreateCheckInLinkArgs,
  ): Promise<{ link: CheckInLinkRow; token: string }> {
    const { userId } = caller;
    if (!(await this.tasks.find(userId, taskId))) await this.tasks.refuse(taskId, 'taskId');
    const token = newLinkToken();
    const made = { id: randomUUID(), digest: digestOf(token), createdAt: this.clock.now() };
    const inserting = this.database.transaction(async (tx) => {
      const query = tx.getKysely<CheckInTables>();
      await this.accounts.requireSession(query, caller);
      await this.accounts.lock(query, userId); // makes the limit exact
      const { rows } = await insertLink(
        query,
        { userId, taskId, name, amount, ...made },
        checkInLimits.checkInLinks,
      );
      return rows[0];
    });
    // The task may be deleted meanwhile. On several nodes no foreign key says so; the link is then unknown when used.
    const link = await inserting.catch((error: unknown) => {
      if (!violates(error, 'foreignKey', 'check_in_links_task_id_user_id_foreign')) throw error;
      return this.tasks.refuse(taskId, 'taskId');
    });
    if (!link) throw tooManyLinks();
    return { link, token };
  }

  /** `origin`: the scheme and the host that were asked, for a service that does not know its own address. */
  addressOf(token: string, origin: string): string {
    const { publicUrl = origin } = this.config;
    return `${publicUrl}/check-in/${token}`;
  }

  ofTasks(userId: string, ids: number[]): Promise<CheckInLinkRow[]> {
    return this.database.run(linksOfTasks, { userId, ids });
  }

  /** From then on the link is unknown. */
  async delete(userId: string, id: string): Promise<void> {
    const query = this.database.query<CheckInTables>();
    const deleted = UUID.test(id) ? await deleteLink(query, { userId, id }) : undefined;
    if (!deleted) throw missing('Check-in link');
  }
}

const tooManyLinks = () =>
  limitReached(`A task can have at most ${checkInLimits.checkInLinks} check-in links`);
