import 'reflect-metadata';
import { ArgsType, Field, ID } from 'type-graphql';
import { Id, limits, Text, written } from '../../base/validation.js';
import { DurationDays } from './rules.js';

@ArgsType()
export class AcceptChallengeInput {
  @Field(() => ID, { description: 'The id of the template to accept. REST takes it as `template_id`, too.' })
  @Id()
  templateId!: number;
}

@ArgsType()
export class ChallengeNotesInput {
  @Field({
    description: `The new notes, at most ${written(limits.notes)} characters. They replace any earlier ones.`,
  })
  @Text({ max: limits.notes })
  notes!: string;
}

/** A template that the operator adds. */
export class TemplateInput {
  @Text({ max: limits.title, blank: false, controls: false })
  title!: string;

  @Text({ max: limits.description, blank: false })
  description!: string;

  @DurationDays()
  durationDays!: number;
}
