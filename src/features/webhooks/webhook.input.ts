import 'reflect-metadata';
import { Field, ID, InputType } from 'type-graphql';
import { Clearable, limits, Omittable, SomeOf, Text, written } from '../../base/validation.js';
import { EventKind } from '../account/progress.announcement.js';
import { Name } from '../account/rules.js';
import { webhookLimits } from './limits.js';

const KINDS = Object.keys(EventKind);

const URL_RULE = `Where events are sent, at most ${written(webhookLimits.url)} characters.`;
const NAME_RULE = `What you call it: at most ${written(limits.name)} characters.`;
const KINDS_RULE = 'The kinds of events that are sent; null for all.';

@InputType({ description: 'A webhook to create.' })
export class CreateWebhookInput {
  @Field({ description: URL_RULE })
  @Text({ max: webhookLimits.url, blank: false, controls: false })
  url!: string;

  @Field({ description: NAME_RULE })
  @Name({ max: limits.name })
  name!: string;

  @Field(() => [EventKind], { nullable: true, description: KINDS_RULE })
  @Clearable()
  @SomeOf(KINDS)
  kinds?: EventKind[] | null;
}

@InputType({ description: 'Only the fields that are given change. It counts from the next try on.' })
export class UpdateWebhookInput {
  @Field(() => ID, { description: 'The webhook.' })
  @Text()
  id!: string;

  @Field(() => String, { nullable: true, description: `${URL_RULE} It cannot be null.` })
  @Omittable()
  @Text({ max: webhookLimits.url, blank: false, controls: false })
  url?: string;

  @Field(() => String, { nullable: true, description: `${NAME_RULE} It cannot be null.` })
  @Omittable()
  @Name({ max: limits.name })
  name?: string;

  @Field(() => [EventKind], { nullable: true, description: KINDS_RULE })
  @Clearable()
  @SomeOf(KINDS)
  kinds?: EventKind[] | null;
}
