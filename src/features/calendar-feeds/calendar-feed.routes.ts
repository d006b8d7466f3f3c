import type { Request, RequestHandler, Response } from 'express';
import { Refusal } from '../../base/errors.js';
import { languageFor } from '../../base/languages/choice.js';
import { mapYielding } from '../../base/queues/event-loop.js';
import { asRequest, networkOf } from '../../base/request.js';
import { addressOf, originOf, type Trust } from '../../http/address.js';
import { vary } from '../../http/answers.js';
import { endWithError } from '../../rest/errors.js';
import { noteCaller, noteRoute } from '../../telemetry/trail.js';
import type { AccountService } from '../account/account.service.js';
import { type CalendarFeedService, noCalendar } from './calendar-feed.service.js';
import type { FeedEntriesService } from './feed-entries.service.js';
import { type Calendar, etagOf, textOf } from './icalendar.js';

interface Parts {
  feeds: CalendarFeedService;
  contents: FeedEntriesService;
  accounts: AccountService;
  databaseTime: number;
}

const ROUTE = '/calendar/{secret}.ics';

const ADDRESS = /^\/calendar\/([^/?]+)\.ics(?:\?|$)/;

/** Taken as it stands: ours are written without escapes, so that nothing else is one of them. */
export const secretIn = (url: string): string | undefined => ADDRESS.exec(url)?.[1];

/** The address itself is what lets in: nobody has to log in, and no token is looked at. */
export function calendarFeedRoutes(parts: Parts, trusts: Trust): RequestHandler {
  return async (request, response, next) => {
    const secret = secretIn(request.url);
    if (secret === undefined) return next();
    noteRoute(request, ROUTE);
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('X-Robots-Tag', 'noindex');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      return endWithError(response, 405, 'Use GET or HEAD here');
    }
    const address = addressOf(request, trusts);
    const userId = parts.feeds.userOf(secret);
    noteCaller(request.trail, userId ?? null, address);
    const read = () => calendarOf(parts, secret, request, trusts);
    const calendar = await asRequest(parts.databaseTime, read, userId ?? networkOf(address));
    await answer(request, response, calendar);
  };
}

async function calendarOf(
  { feeds, contents, accounts }: Parts,
  secret: string,
  request: Request,
  trusts: Trust,
): Promise<Calendar> {
  const feed = await feeds.find(secret);
  const account = await accounts.get(feed.userId).catch((error: unknown) => {
    throw error instanceof Refusal && error.kind === 'unauthenticated' ? noCalendar() : error;
  });
  const language = languageFor(account.language, request.headers['accept-language']);
  const base = feeds.baseOf(originOf(request, trusts));
  return { feed, language, base, ...(await contents.of(feed)) };
}

/**
 * Whoever has read the same before is told that alone. The length is not told: for a long calendar the text takes a fifth
 * of a second, so that it is written for those alone who read it, and lets others in meanwhile.
 */
export async function answer(request: Request, response: Response, calendar: Calendar): Promise<void> {
  const tag = etagOf(calendar);
  response.setHeader('Cache-Control', 'private');
  response.setHeader('ETag', tag);
  vary(response, 'Accept-Language');
  if (isKnown(request.headers['if-none-match'], tag)) return void response.writeHead(304).end();
  response.setHeader('Content-Type', 'text/calendar; charset=utf-8');
  if (request.method === 'GET') await mapYielding(textOf(calendar), (piece) => response.write(piece));
  response.end();
}

/**
 * Unlike Express's `fresh`, also to a reader that says `no-cache`: that is meant for caches on the way, and `fetch` adds
 * it to a condition by itself.
 */
const isKnown = (asked = '', tag: string) =>
  asked.split(',').some((each) => ['*', tag].includes(each.trim().replace(/^W\//, '')));
