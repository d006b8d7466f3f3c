import 'reflect-metadata';
import { Arg, Ctx, Field, FieldResolver, ID, Mutation, Resolver, Root } from 'type-graphql';
import { assertMay } from '../../base/scopes.js';
import type { Context, UserContext } from '../../graphql/context.js';
import { Payload } from '../../graphql/payload.js';
import { Access } from '../../graphql/schema.js';
import type { Account } from '../account/account.queries.js';
import type { AccountService } from '../account/account.service.js';
import { User } from '../account/user.entity.js';
import { CalendarFeed } from './calendar-feed.entity.js';
import { CreateCalendarFeedInput } from './calendar-feed.input.js';
import type { CalendarFeedRow } from './calendar-feed.queries.js';
import type { CalendarFeedService } from './calendar-feed.service.js';
import { calendarFeedLimits } from './limits.js';

@Payload()
class CreateCalendarFeedPayload {
  @Field(() => CalendarFeed, { description: 'The new calendar.' })
  calendar!: CalendarFeedRow;

  @Field({
    description:
      'The address of the calendar, which is shown only now. Everybody who has it can read the calendar.',
  })
  url!: string;

  @Field(() => User, { description: 'The user as it is now.' })
  user!: () => Promise<Account>;
}

@Payload()
class DeleteCalendarFeedPayload {
  @Field(() => ID, { description: 'The id that the calendar had.' })
  deletedId!: string;

  @Field(() => User, { description: 'The user as it is now.' })
  user!: () => Promise<Account>;
}

@Resolver()
export class CalendarFeedResolver {
  constructor(
    private readonly feeds: CalendarFeedService,
    private readonly accounts: AccountService,
  ) {}

  @Access('SESSION')
  @Mutation(() => CreateCalendarFeedPayload, {
    nullable: true,
    description: `Make an address at which other calendars read the days of your tasks. You can have at most ${calendarFeedLimits.calendarFeeds}. An API token cannot do this.`,
  })
  async createCalendarFeed(
    @Ctx() { caller, origin }: UserContext,
    @Arg('input', { description: 'The new calendar.' }) input: CreateCalendarFeedInput,
  ): Promise<CreateCalendarFeedPayload> {
    const { feed, secret } = await this.feeds.create(caller, input);
    const url = `${this.feeds.baseOf(origin())}/calendar/${secret}.ics`;
    return { calendar: feed, url, user: () => this.accounts.get(caller.userId) };
  }

  @Access('SESSION')
  @Mutation(() => DeleteCalendarFeedPayload, {
    nullable: true,
    description: 'Delete a calendar: its address is unknown from now on. An API token cannot do this.',
  })
  async deleteCalendarFeed(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The calendar to delete.' }) id: string,
  ): Promise<DeleteCalendarFeedPayload> {
    await this.feeds.delete(userId, id);
    return { deletedId: id, user: () => this.accounts.get(userId) };
  }
}

@Resolver(() => User)
export class UserCalendars {
  constructor(private readonly feeds: CalendarFeedService) {}

  /** A session that has just begun is nobody's yet. */
  @FieldResolver(() => [CalendarFeed], {
    description: 'The calendars that you have made, oldest first. An API token cannot ask for this.',
  })
  async calendars(@Root() { id }: Account, @Ctx() { caller }: Context): Promise<CalendarFeedRow[]> {
    if (caller) assertMay(caller.scopes, 'SESSION');
    return this.feeds.ofUser(id);
  }
}
