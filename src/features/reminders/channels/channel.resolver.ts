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
import type { UserContext } from '../../../graphql/context.js';
import { Payload } from '../../../graphql/payload.js';
import { Access } from '../../../graphql/schema.js';
import type { Account } from '../../account/account.queries.js';
import type { AccountService } from '../../account/account.service.js';
import { User } from '../../account/user.entity.js';
import { Channel, ChannelKind } from './channel.entity.js';
import { AddChannelInput } from './channel.input.js';
import type { ChannelRow } from './channel.queries.js';
import type { ChannelService } from './channel.service.js';
import { channelLimits } from './limits.js';

@ObjectType({ simpleResolvers: true, description: 'The ways in which this service can send reminders.' })
class ReminderService {
  @Field(() => String, {
    nullable: true,
    description: 'The VAPID key with which a browser subscribes; null where no push can be sent.',
  })
  pushKey!: string | null;

  @Field(() => [ChannelKind], { description: 'The kinds of channels to which it can send.' })
  kinds!: ChannelKind[];
}

@Payload()
class AddChannelPayload {
  @Field(() => Channel, { description: 'The channel.' })
  channel!: ChannelRow;

  @Field(() => User, { description: 'The user as it is now.' })
  user!: () => Promise<Account>;
}

@Payload()
class DeleteChannelPayload {
  @Field(() => ID, { description: 'The id that the channel had.' })
  deletedId!: string;

  @Field(() => User, { description: 'The user as it is now.' })
  user!: () => Promise<Account>;
}

@Payload()
class TestChannelPayload {
  @Field({ description: 'Whether the receiver has taken the message.' })
  isDelivered!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'Why the receiver has not taken the message; null if it has.',
  })
  error!: string | null;

  @Field(() => Channel, { description: 'The channel as it is now.' })
  channel!: ChannelRow;
}

const { most, minutes } = channelLimits.channelTests;

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

  @Access('SESSION')
  @Mutation(() => AddChannelPayload, {
    nullable: true,
    description: `Let reminders be sent to a device or a service: at most ${channelLimits.channels}. A browser that was added before keeps its channel.`,
  })
  async addChannel(
    @Ctx() { caller }: UserContext,
    @Arg('input', { description: 'The channel.' }) input: AddChannelInput,
  ): Promise<AddChannelPayload> {
    const channel = await this.channels.add(caller, input);
    return { channel, user: () => this.accounts.get(caller.userId) };
  }

  @Access('SESSION')
  @Mutation(() => DeleteChannelPayload, {
    nullable: true,
    description: 'Delete a channel: nothing is sent to it any more.',
  })
  async deleteChannel(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The channel to delete.' }) id: string,
  ): Promise<DeleteChannelPayload> {
    await this.channels.delete(userId, id);
    return { deletedId: id, user: () => this.accounts.get(userId) };
  }

  @Access('SESSION')
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
