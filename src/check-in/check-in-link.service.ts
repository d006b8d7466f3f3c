import { randomUUID } from 'node:crypto';
import type { AccountService } from '../accounts/account.service.js';
import { digestOf } from '../accounts/secret.js';
import { UUID } from '../accounts/tokens.js';
import type { Clock } from '../clock.js';
import type { Config } from '../config.js';
import type { Database } from '../database/database.js';
import { violates } from '../database/violations.js';
import { invalid, missing } from '../errors.js';
import type { TaskService } from '../tasks/task.service.js';
import { limits } from '../validation.js';
import type { CreateCheckInLinkArgs } from './check-in-link.input.js';
import {
  type CheckInLinkRow,
  type CheckInTables,
  deleteLink,
  insertLink,
  linksOfTasks,
} from './check-in-link.queries.js';
import { newLinkToken } from './link-token.js';

/** Makes check-in links, lists them and takes them back. */
export class CheckInLinkService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly accounts: AccountService,
    private readonly tasks: TaskService,
    private readonly config: Pick<Config, 'publicUrl' | 'publicPath'>,
  ) {}

  /** The token is told this once. */
  async create(
    userId: string,
    { taskId, name, amount = null }: CreateCheckInLinkArgs,
  ): Promise<{ link: CheckInLinkRow; token: string }> {
    if (!(await this.tasks.find(userId, taskId))) await this.tasks.refuse(taskId);
    const token = newLinkToken();
    const made = { id: randomUUID(), digest: digestOf(token), createdAt: this.clock.now() };
    const inserting = this.database.transaction(async (tx) => {
      const query = tx.getKysely<CheckInTables>();
      await this.accounts.lock(query, userId); // makes the limit exact
      const { rows } = await insertLink(
        query,
        { userId, taskId, name, amount, ...made },
        limits.checkInLinks,
      );
      return rows[0];
    });
    // The task may be deleted meanwhile. On several nodes no foreign key says so; the link is then unknown when used.
    const link = await inserting.catch((error: unknown) => {
      if (!violates(error, 'foreignKey', 'check_in_links_task_id_user_id_foreign')) throw error;
      return this.tasks.refuse(taskId);
    });
    if (!link) throw tooManyLinks();
    return { link, token };
  }

  /** `origin`: the scheme and the host that were asked, for a service that does not know its own address. */
  addressOf(token: string, origin: string): string {
    const { publicUrl = `${origin}${this.config.publicPath}` } = this.config;
    return `${publicUrl}/check-in/${token}`;
  }

  ofTasks(userId: string, ids: number[]): Promise<CheckInLinkRow[]> {
    return this.database.run(linksOfTasks, { userId, ids });
  }

  /** From then on the link is unknown. */
  async revoke(userId: string, id: string): Promise<CheckInLinkRow> {
    const query = this.database.query<CheckInTables>();
    const revoked = UUID.test(id) ? await deleteLink(query, { userId, id }) : undefined;
    if (!revoked) throw missing('Check-in link');
    return revoked;
  }
}

const tooManyLinks = () =>
  invalid(`A task can have at most ${limits.checkInLinks} check-in links`, undefined, 'TOO_MANY');
