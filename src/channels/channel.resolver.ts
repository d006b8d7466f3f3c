import 'reflect-metadata';
import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import type { Account } from '../accounts/account.queries.js';
import type { AccountService } from '../accounts/account.service.js';
import { User } from '../accounts/user.entity.js';
import type { UserContext } from '../graphql/context.js';
import { Access } from '../graphql/schema.js';
import { limits } from '../validation.js';
import { Channel } from './channel.entity.js';
import { AddChannelInput } from './channel.input.js';
import type { ChannelRow } from './channel.queries.js';
import type { ChannelService } from './channel.service.js';

@ObjectType({ simpleResolvers: true, description: 'The ways in which this service can send reminders.' })
class ReminderService {
  @Field(() => String, {
    nullable: true,
    description: 'The VAPID key with which a browser subscribes; null where no push can be sent.',
  })
  pushKey!: string | null;

  @Field({ description: 'Whether the service has an ntfy server.' })
  ntfy!: boolean;

  @Field({ description: 'Whether the service has an Apprise API.' })
  apprise!: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'The answer to addChannel.' })
class AddChannelPayload {
  @Field(() => Channel, { description: 'The channel.' })
  channel!: ChannelRow;

  @Field(() => User, { description: 'The user as it is now.' })
  user!: () => Promise<Account>;
}

@ObjectType({ simpleResolvers: true, description: 'The answer to removeChannel.' })
class RemoveChannelPayload {
  @Field(() => ID, { description: 'The id of the channel that was removed.' })
  channelId!: string;

  @Field(() => User, { description: 'The user as it is now.' })
  user!: () => Promise<Account>;
}

@ObjectType({ simpleResolvers: true, description: 'The answer to testChannel.' })
class TestChannelPayload {
  @Field({ description: 'Whether the receiver has taken the message.' })
  delivered!: boolean;

  @Field(() => String, { nullable: true, description: 'Why it has not; null if it has.' })
  error!: string | null;

  @Field(() => Channel, { description: 'The channel as it is now.' })
  channel!: ChannelRow;
}

const { most, minutes } = limits.channelTests;

@Resolver()
export class ChannelResolver {
  constructor(
    private readonly channels: ChannelService,
    private readonly accounts: AccountService,
  ) {}

  @Access('READ')
  @Query(() => ReminderService, { description: 'The ways in which this service can send reminders.' })
  reminderService(): Promise<ReminderService> {
    return this.channels.offered();
  }

  @Access('PROFILE')
  @Mutation(() => AddChannelPayload, {
    nullable: true,
    description: `Let reminders be sent to a device or a service: at most ${limits.channels}. The endpoint of a browser that was added before is the same channel.`,
  })
  async addChannel(
    @Ctx() { userId }: UserContext,
    @Arg('input', { description: 'The channel.' }) input: AddChannelInput,
  ): Promise<AddChannelPayload> {
    const channel = await this.channels.add(userId, input);
    return { channel, user: () => this.accounts.get(userId) };
  }

  @Access('PROFILE')
  @Mutation(() => RemoveChannelPayload, {
    nullable: true,
    description: 'Remove a channel: nothing is sent to it any more.',
  })
  async removeChannel(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The channel to remove.' }) id: string,
  ): Promise<RemoveChannelPayload> {
    await this.channels.remove(userId, id);
    return { channelId: id, user: () => this.accounts.get(userId) };
  }

  @Access('PROFILE')
  @Mutation(() => TestChannelPayload, {
    nullable: true,
    description: `Send a test message to a channel, to see whether it arrives: at most ${most} in ${minutes} minutes.`,
  })
  testChannel(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The channel to try.' }) id: string,
  ): Promise<TestChannelPayload> {
    return this.channels.test(userId, id);
  }
}

@Resolver(() => User)
export class UserChannels {
  constructor(private readonly service: ChannelService) {}

  @FieldResolver(() => [Channel], { description: 'The channels to which reminders are sent, oldest first.' })
  channels(@Root() { id }: Account): Promise<ChannelRow[]> {
    return this.service.ofUser(id);
  }
}
