import type { Database } from '../../database/database.js';
import type { TemplateInput } from './challenge.input.js';
import { noTemplate } from './challenge.refusals.js';
import type { ChallengeTemplate } from './template.entity.js';
import { type BroughtIn, bringInTemplates, templates } from './template.queries.js';

/** Templates are the same for everyone, but a user whose account is gone must not see them. */
export class TemplateService {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  list(userId: string): Promise<ChallengeTemplate[]> {
    return this.database.run(templates.newestFirst, { userId });
  }

  async find(userId: string, id: number): Promise<ChallengeTemplate | null> {
    const [template] = await this.database.run(templates.byId, { id, userId });
    return template ?? null;
  }

  /** Without a check of the user: the ids come from rows that the user owns. */
  findMany(ids: number[]): Promise<ChallengeTemplate[]> {
    return this.database.run(templates.byIds, { ids });
  }

  /** Adds templates of the operator, and changes those with the same title: all of them, or none. */
  bringIn(list: TemplateInput[], now: Date): Promise<BroughtIn> {
    return this.database.transaction((tx) => bringInTemplates(tx.getKysely(), list, now));
  }

  async get(userId: string, id: number): Promise<ChallengeTemplate> {
    const template = await this.find(userId, id);
    if (!template) throw noTemplate();
    return template;
  }
}
