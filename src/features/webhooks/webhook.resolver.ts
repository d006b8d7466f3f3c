import 'reflect-metadata';
import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Int,
  Mutation,
  Resolver,
  Root,
} from 'type-graphql';
import { assertMay } from '../../base/scopes.js';
import { Clearable, limits, PageSize } from '../../base/validation.js';
import { batched, grouped } from '../../graphql/batching.js';
import type { Context, UserContext } from '../../graphql/context.js';
import { Payload } from '../../graphql/payload.js';
import { Access } from '../../graphql/schema.js';
import type { Account } from '../account/account.queries.js';
import type { AccountService } from '../account/account.service.js';
import { User } from '../account/user.entity.js';
import { FeedEvent } from '../event-feed/feed.entity.js';
import { webhookLimits } from './limits.js';
import { Delivery, Webhook } from './webhook.entity.js';
import { CreateWebhookInput, UpdateWebhookInput } from './webhook.input.js';
import type { DeliveryRow, WebhookRow } from './webhook.queries.js';
import type { WebhookService } from './webhook.service.js';

@Payload()
class CreateWebhookPayload {
  @Field(() => Webhook, { description: 'The new webhook.' })
  webhook!: WebhookRow;

  @Field({ description: 'What signs its messages, as Standard Webhooks has it. It is shown only here.' })
  secret!: string;

  @Field(() => User, { description: 'The user as it is now.' })
  user!: () => Promise<Account>;
}

@Payload()
class UpdateWebhookPayload {
  @Field(() => Webhook, { description: 'The webhook as it is now.' })
  webhook!: WebhookRow;
}

@Payload()
class DeleteWebhookPayload {
  @Field(() => ID, { description: 'The id that the webhook had.' })
  webhookId!: string;

  @Field(() => User, { description: 'The user as it is now.' })
  user!: () => Promise<Account>;
}

@Payload()
class TestWebhookPayload {
  @Field(() => Webhook, { description: 'The webhook as it is now. Its newest delivery is that of the test.' })
  webhook!: WebhookRow;
}

@Payload()
class ResumeWebhookPayload {
  @Field(() => Webhook, { description: 'The webhook as it is now.' })
  webhook!: WebhookRow;
}

@ArgsType()
class DeliveriesArgs {
  @Field(() => Int, {
    nullable: true,
    defaultValue: webhookLimits.deliveriesShown,
    description: `How many, 1 to ${limits.pageSize}; null means the default.`,
  })
  @Clearable()
  @PageSize()
  first?: number | null;
}

const { most, minutes } = webhookLimits.tests;

@Resolver()
export class WebhookResolver {
  constructor(
    private readonly webhooks: WebhookService,
    private readonly accounts: AccountService,
  ) {}

  @Access('SESSION')
  @Mutation(() => CreateWebhookPayload, {
    nullable: true,
    description: `Let your events be sent to an address: at most ${webhookLimits.webhooks}. Your feed is turned on with the first. An API token cannot do this.`,
  })
  async createWebhook(
    @Ctx() { caller, userId }: UserContext,
    @Arg('input', { description: 'The new webhook.' }) input: CreateWebhookInput,
  ): Promise<CreateWebhookPayload> {
    return { ...(await this.webhooks.create(caller, input)), user: () => this.accounts.get(userId) };
  }

  @Access('SESSION')
  @Mutation(() => UpdateWebhookPayload, {
    nullable: true,
    description: 'Change a webhook. It counts from the next try on. An API token cannot do this.',
  })
  async updateWebhook(
    @Ctx() { caller }: UserContext,
    @Arg('input', { description: 'What changes.' }) input: UpdateWebhookInput,
  ): Promise<UpdateWebhookPayload> {
    return { webhook: await this.webhooks.update(caller, input) };
  }

  @Access('SESSION')
  @Mutation(() => DeleteWebhookPayload, {
    nullable: true,
    description: 'Delete a webhook: nothing more is sent to it. An API token cannot do this.',
  })
  async deleteWebhook(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The webhook.' }) id: string,
  ): Promise<DeleteWebhookPayload> {
    await this.webhooks.delete(userId, id);
    return { webhookId: id, user: () => this.accounts.get(userId) };
  }

  @Access('SESSION')
  @Mutation(() => TestWebhookPayload, {
    nullable: true,
    description: `Send a message of the type webhook.test now, whatever the state of the webhook: at most ${most} in ${minutes} minutes. An API token cannot do this.`,
  })
  async testWebhook(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The webhook.' }) id: string,
  ): Promise<TestWebhookPayload> {
    return { webhook: await this.webhooks.test(userId, id) };
  }

  @Access('SESSION')
  @Mutation(() => ResumeWebhookPayload, {
    nullable: true,
    description:
      'Let a webhook go on at once: where it stood, or after an event. An API token cannot do this.',
  })
  async resumeWebhook(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The webhook.' }) id: string,
    @Arg('after', () => String, {
      nullable: true,
      description: 'The cursor or the number of the event after which it goes on.',
    })
    after?: string | null,
  ): Promise<ResumeWebhookPayload> {
    return { webhook: await this.webhooks.resume(userId, id, after) };
  }
}

@Resolver(() => User)
export class UserWebhooks {
  constructor(private readonly service: WebhookService) {}

  /** A session that has just begun is nobody's yet. */
  @Access('READ')
  @FieldResolver(() => [Webhook], {
    description: 'Where your events are sent, oldest first. An API token cannot ask for this.',
  })
  webhooks(@Root() { id }: Account, @Ctx() context: Context): Promise<WebhookRow[]> {
    if (context.caller) assertMay(context.caller.scopes, 'SESSION');
    return this.ofUser(context, id);
  }

  private readonly ofUser = batched(async (userIds: readonly string[]) => {
    const found = Map.groupBy(await this.service.ofUsers(userIds), ({ userId }) => userId);
    return userIds.map((id) => found.get(id) ?? []);
  });
}

@Resolver(() => Webhook)
export class WebhookFields {
  constructor(private readonly service: WebhookService) {}

  @FieldResolver(() => [Delivery], {
    description: `Tries to send events, newest first; the last ${webhookLimits.deliveries} are kept.`,
  })
  deliveries(
    @Root() { id }: WebhookRow,
    @Ctx() context: Context,
    @Args() { first }: DeliveriesArgs,
  ): Promise<DeliveryRow[]> {
    return this.ofWebhooks(context, { id, most: first ?? webhookLimits.deliveriesShown });
  }

  private readonly ofWebhooks = grouped(
    ({ most }: { id: string; most: number }) => String(most),
    async (group) => {
      const ids = group.map(({ id }) => id);
      const found = Map.groupBy(
        await this.service.deliveries(ids, group[0].most),
        ({ webhookId }) => webhookId,
      );
      return ids.map((id) => found.get(id) ?? []);
    },
  );
}

@Resolver(() => Delivery)
export class DeliveryFields {
  @FieldResolver(() => FeedEvent, {
    nullable: true,
    description: 'The event; null of a test, and once it is no longer kept.',
  })
  event(@Root() delivery: DeliveryRow & { event: FeedEvent | null }): FeedEvent | null {
    return delivery.event;
  }
}
