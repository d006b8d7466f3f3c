import 'reflect-metadata';
import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql';
import { rowId } from '../../base/validation.js';
import type { UserContext } from '../../graphql/context.js';
import { Access } from '../../graphql/schema.js';
import { ChallengeTemplate } from './template.entity.js';
import type { TemplateService } from './template.service.js';

@Resolver(() => ChallengeTemplate)
export class TemplateResolver {
  constructor(private readonly templates: TemplateService) {}

  @Access('READ')
  @Query(() => [ChallengeTemplate], { description: 'The templates that can be accepted, newest first.' })
  challengeTemplates(@Ctx() { userId }: UserContext): Promise<ChallengeTemplate[]> {
    return this.templates.list(userId);
  }

  @Access('READ')
  @Query(() => ChallengeTemplate, {
    nullable: true,
    description: 'One template; null if there is none with this id.',
  })
  challengeTemplate(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The id.' }) id: string,
  ): Promise<ChallengeTemplate | null> {
    return this.templates.find(userId, rowId(id));
  }
}
