import { commonReasons, type ReasonTable } from './base/errors.js';
import type { Base, Parts } from './feature.js';
import { account } from './features/account/feature.js';
import { agents } from './features/agents/feature.js';
import { calendarFeeds } from './features/calendar-feeds/feature.js';
import { challenges } from './features/challenges/feature.js';
import { checkIn } from './features/check-in/feature.js';
import { eventFeed } from './features/event-feed/feature.js';
import { setFeed } from './features/event-feed/feed.service.js';
import { exportImport } from './features/export-import/feature.js';
import { habits } from './features/habits/feature.js';
import { history } from './features/history/feature.js';
import { mail } from './features/mail/feature.js';
import { reminders } from './features/reminders/feature.js';
import { lettersOn, signIn } from './features/sign-in/feature.js';
import { hasFreshLogIn } from './features/sign-in/identity.service.js';
import { webhooks } from './features/webhooks/feature.js';
import { refuseWithWebhooks } from './features/webhooks/webhook.service.js';

/** In the order of who may know whom: each only those before it. */
export const features = [
  ...[account, mail, signIn, challenges, habits, history, checkIn, calendarFeeds, reminders],
  ...[eventFeed, webhooks, exportImport, agents],
];

export interface Surroundings extends Base {
  /** Keeps the tombstone of a deleted account beside the backups; undefined where there are none. */
  remember?: Parameters<typeof account.build>[1]['remember'];
}

/** What is taken along. */
const carries = features.flatMap((each) => each.carries ?? []);
export const carried = {
  parts: carries.filter((each) => 'read' in each),
  along: carries.filter((each) => 'part' in each),
};

/** Builds them all, each on what it needs of others. */
export function featuresOn(base: Surroundings) {
  const { database, clock, remember } = base;
  const letters = lettersOn(base);
  const ofAccount = account.build(base, {
    remember,
    events: letters?.mails,
    hasFreshLogIn: (caller) => hasFreshLogIn(database, clock, caller),
    setFeed: setFeed(refuseWithWebhooks),
  });
  const { services } = ofAccount;
  const ofSignIn = signIn.build(base, { ...services, letters });
  const ofChallenges = challenges.build(base, services);
  const ofHabits = habits.build(base, { ...services, ...ofChallenges.services });
  const ofHistory = history.build(base, { ...services, ...ofHabits.services });
  const recorded = { ...services, ...ofHabits.services, ...ofHistory.services };
  const ofCheckIn = checkIn.build(base, recorded);
  const known = { ...recorded, ...ofCheckIn.services };
  const ofCalendarFeeds = calendarFeeds.build(base, known);
  const ofReminders = reminders.build(base, known);
  const ofFeed = eventFeed.build(base, { ...recorded, ...ofChallenges.services });
  const ofWebhooks = webhooks.build(base, { ...services, ...ofFeed.services, notified: letters?.mails });
  const ofExportImport = exportImport.build(base, { ...services, ...ofChallenges.services, carried });
  const ofAgents = agents.build(base, recorded);
  const all: Parts[] = [
    ...[ofAccount, ofSignIn, ofChallenges, ofHabits, ofHistory, ofCheckIn, ofCalendarFeeds],
    ...[ofReminders, ofFeed, ofWebhooks, ofExportImport, ofAgents],
  ];
  return { all, accounts: services.accounts, callers: services.callers, reminders: ofReminders.services };
}

/** Every reason of a refusal: docs/errors.md, the schema and the API document are made from it. */
export const reasons: ReasonTable = Object.assign({}, ...features.map((each) => each.reasons), commonReasons);

export const resolversOf = (all: readonly Parts[]) => all.flatMap(({ resolvers = [] }) => resolvers);

export const routesOf = (all: readonly Parts[]) => all.flatMap(({ routes = [] }) => routes);

export const jobsOf = (all: readonly Parts[]) => ({
  everywhere: all.flatMap(({ jobs }) => jobs?.everywhere ?? []),
  byLeader: all.flatMap(({ jobs }) => jobs?.byLeader ?? []),
});
