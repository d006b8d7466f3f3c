import 'reflect-metadata';
import { BigIntType } from '@mikro-orm/core';
import { Check, Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType } from 'type-graphql';

@ObjectType({ simpleResolvers: true, description: 'A challenge that can be accepted. Seven are built in.' })
@Entity({ tableName: 'challenge_templates' })
@Check({ name: 'challenge_templates_duration_days_check', expression: 'duration_days > 0' })
export class ChallengeTemplate {
  @Field(() => ID, { description: 'The id: a number, the same in GraphQL and REST.' })
  @PrimaryKey({ type: new BigIntType('number'), generated: 'by default as identity', autoincrement: true })
  id!: number;

  @Field({ description: 'The display name.' })
  @Property({ type: 'text' })
  title!: string;

  @Field({ description: 'The goal and the instructions.' })
  @Property({ type: 'text' })
  description!: string;

  @Field(() => Int, { description: 'How many consecutive days the challenge runs.' })
  @Property({ type: 'int' })
  durationDays!: number;

  @Field({ description: 'When the template was added.' })
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field({ description: 'When the template was last changed.' })
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;
}
