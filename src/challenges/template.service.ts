import type { Database } from '../database/database.js';
import { isOneOf } from '../database/tables.js';
import { missing } from '../errors.js';
import type { ChallengeTemplate } from './template.entity.js';
import { selectTemplates } from './template.queries.js';

/** Templates are the same for everyone, but a user whose account is gone must not see them. */
export class TemplateService {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  list(userId: string): Promise<ChallengeTemplate[]> {
    return this.seenBy(userId)
      .orderBy('template.created_at', 'desc')
      .orderBy('template.id', 'desc')
      .execute();
  }

  async find(userId: string, id: number): Promise<ChallengeTemplate | null> {
    const template = await this.seenBy(userId).where('template.id', '=', id).executeTakeFirst();
    return template ?? null;
  }

  /** Without a check of the user: the ids come from rows that the user owns. */
  findMany(ids: number[]): Promise<ChallengeTemplate[]> {
    return this.all().where(isOneOf('template.id', ids)).execute();
  }

  async get(userId: string, id: number): Promise<ChallengeTemplate> {
    const template = await this.find(userId, id);
    if (!template) throw missing('Challenge template');
    return template;
  }

  private seenBy(userId: string) {
    return this.all().innerJoin('user_progress', (join) => join.on('user_progress.user_id', '=', userId));
  }

  private all() {
    return selectTemplates(this.database.query());
  }
}
