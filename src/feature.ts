import type { EntityClass, MigrationObject } from '@mikro-orm/core';
import type { RequestHandler } from 'express';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Carried, CarriedAlong } from './base/carried.js';
import type { Clock } from './base/clock.js';
import type { Declared } from './base/config/settings.js';
import type { Config } from './base/config.js';
import type { ReasonTable } from './base/errors.js';
import type { Check } from './base/finding.js';
import type { Passwords } from './base/passwords/passwords.js';
import type { Database } from './database/database.js';
import type { Sources } from './graphql/live/events.js';
import type { Trust } from './http/address.js';
import type { Background } from './jobs/runner.js';
import type { AnyRoute } from './rest/route.js';
import type { Meter } from './telemetry/meter.js';

/** What every feature stands on. */
export interface Base {
  config: Config;
  secret: string;
  clock: Clock;
  database: Database;
  passwords: Passwords;
  log: Logger;
}

/** Where a command works, and where metrics are read. */
export type Place = Pick<Base, 'config' | 'clock' | 'database'>;

/** What a check looks at. */
export interface Examined extends Pick<Base, 'config' | 'clock'> {
  query: Kysely<unknown>;
}

/** What a command works on. */
export interface Tools extends Place {
  /** Keeps the tombstone of a deleted account beside the backups. */
  remember: (account: { id: string; deletedAt: Date }) => Promise<void>;
}

/** A command of the operator, in a file of its name: `steady NAME`. */
export interface Command {
  help: string;
  /** Reads the arguments. Answers what is then done on the database, and answers the exit code. */
  read: () => (tools: Tools) => Promise<number>;
  /** Whether it only looks at a database: a folder that was mistyped is then told, and none is made. */
  looks?: boolean | undefined;
}

/** For a command of which `asked` reads the arguments, and `work` does it. */
export const commandOf = <Asked>(
  help: string,
  asked: () => Asked,
  work: (tools: Tools, asked: Asked) => Promise<number>,
  options: Pick<Command, 'looks'> = {},
): Command => ({
  ...{ help, ...options },
  read() {
    const given = asked();
    return (tools) => work(tools, given);
  },
});

/** What a feature declares of itself. `features.ts` lists them all, in the order of who may know whom. */
export interface Feature<Needs, Built extends Parts> {
  /** Its variables of the environment, which `config.ts` lists. */
  settings?: Declared;
  /** Why it refuses. */
  reasons?: ReasonTable;
  /** Its tables. */
  entities?: readonly EntityClass<object>[];
  /** What makes and changes them, since the baseline: `2026-12-24_mottoes` is named after the day of its release. */
  migrations?: readonly MigrationObject[];
  /** What each start looks at, and the doctor. */
  checks?: readonly Check<Examined>[];
  /** What only the doctor looks at: a start does not wait for the servers of others. */
  asks?: readonly Check<Config>[];
  /** What an export holds of it, and an import brings back; or what it adds to what earlier ones carry. */
  carries?: readonly (Carried | CarriedAlong)[];
  /** What of it is counted. */
  metrics?: (meter: Meter, place: Place) => void;
  /** Of the operator, by their names; loaded when one is called. */
  commands?: Record<string, () => Promise<{ command: Command }>>;
  /** What it does, on what it stands on and what it needs of features before it. */
  build: (base: Base, needs: Needs) => Built;
}

/** What a feature adds to a service. */
export interface Parts {
  /** What features after it may use. */
  services?: object;
  /** For GraphQL. */
  resolvers?: readonly object[];
  /** What feeds those of its subscriptions that are more than announcements, by their topics. */
  sources?: Sources;
  /** For REST. */
  routes?: readonly AnyRoute[];
  /** What REST has no form for. */
  router?: (trusts: Trust) => RequestHandler;
  /** Whose request it is, where its address says so without a token. */
  userOf?: (url: string) => string | undefined;
  /** What it does beside requests. */
  jobs?: {
    everywhere?: readonly Background[];
    /** On the process that does it for all. The service answers once each has begun. */
    byLeader?: readonly Background[];
  };
  /** Begins what every process keeps in its memory. */
  begin?: () => void;
  /** Ends that, once its jobs have ended. */
  stop?: () => Promise<void>;
}

/** Only for type inference. */
export const feature = <Needs, Built extends Parts>(declared: Feature<Needs, Built>) => declared;

/** What it lets later ones use. */
export type ServicesOf<Declared extends { build: (...given: never[]) => { services: object } }> = ReturnType<
  Declared['build']
>['services'];
