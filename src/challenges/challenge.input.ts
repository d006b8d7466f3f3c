import 'reflect-metadata';
import { ArgsType, Field, ID } from 'type-graphql';
import { Id, limits, Text, written } from '../validation.js';

@ArgsType()
export class AcceptChallengeInput {
  @Field(() => ID, { description: 'The template to accept.' })
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
