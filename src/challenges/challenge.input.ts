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
  @Field({ description: `Replaces any earlier notes; at most ${written(limits.notes)} characters.` })
  @Text({ max: limits.notes })
  notes!: string;
}
