import type { AccountService } from '../accounts/account.service.js';
import type { Database } from '../database/database.js';
import { isOneOf } from '../database/tables.js';
import { unauthenticated } from '../errors.js';
import type { ChallengeTemplate } from './template.entity.js';
import { selectTemplates } from './template.queries.js';

/** Templates are the same for everyone, but only a user who exists may see them. */
export class TemplateService {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountService,
  ) {}

  /** Most recent first. There are always some, so nothing found means that the account is gone. */
  async list(userId: string): Promise<ChallengeTemplate[]> {
    const templates = await this.seenBy(userId)
      .orderBy('template.created_at', 'desc')
      .orderBy('template.id', 'desc')
      .execute();
    if (templates.length === 0) throw unauthenticated();
    return templates;
  }

  async find(userId: string, id: number): Promise<ChallengeTemplate | null> {
    const template = await this.seenBy(userId).where('template.id', '=', id).executeTakeFirst();
    if (!template) await this.accounts.assertExists(userId);
    return template ?? null;
  }

  /** For whoever has links to them in hand already. */
  findMany(ids: number[]): Promise<ChallengeTemplate[]> {
    return this.all().where(isOneOf('template.id', ids)).execute();
  }

  async get(userId: string, id: number): Promise<ChallengeTemplate> {
    return (await this.find(userId, id)) ?? this.accounts.refuseMissing(userId, 'Challenge template');
  }

  private seenBy(userId: string) {
    return this.all().innerJoin('user_progress', (join) => join.on('user_progress.user_id', '=', userId));
  }

  private all() {
    return selectTemplates(this.database.query());
  }
}
