import ical, {
  ICalCalendarMethod,
  ICalEventBusyStatus,
  ICalEventStatus,
  ICalEventTransparency,
} from 'ical-generator';
import { tagOf } from '../../base/languages/choice.js';
import type { Language } from '../../base/languages/language.js';
import { digestOf } from '../account/secret.js';
import { daysAfter, startOf } from '../schedules/day.js';
import type { CalendarFeedRow } from './calendar-feed.queries.js';
import type { FeedContent, FeedEntry } from './feed-entries.service.js';
import { type CalendarFeedTexts, calendarFeedTexts } from './texts/index.js';

const PRODUCT = { company: 'Steady', product: 'Steady' };

/** How often a reader should come again. */
const REFRESH_SECONDS = 3_600;

const END = 'END:VCALENDAR';

/** Of one piece of the text: what a turn of the event loop has time for. */
const ENTRIES_PER_PIECE = 20;

/** A calendar as one reader sees it. */
export interface Calendar extends FeedContent {
  feed: Pick<CalendarFeedRow, 'id' | 'name'>;
  language: Language;
  /** The address of the service, without a slash at its end. */
  base: string;
}

/** Made from all that the text tells, which takes a fraction of the time that the text does. */
export const etagOf = ({ feed: { id, name }, today, entries, language, base }: Calendar): string =>
  `"${digestOf(JSON.stringify([id, name, today, entries, language, base]))}"`;

/** The text of a calendar (RFC 5545), in pieces. On one day it stays the same until a task does. */
export function* textOf(calendar: Calendar): Generator<string, void> {
  const { entries } = calendar;
  const head = written(calendar, []).slice(0, -END.length);
  yield head;
  for (let begin = 0; begin < entries.length; begin += ENTRIES_PER_PIECE) {
    const whole = written(calendar, entries.slice(begin, begin + ENTRIES_PER_PIECE));
    yield whole.slice(head.length, -END.length);
  }
  yield `${END}\r\n`;
}

function written({ feed: { id, name }, today, language, base }: Calendar, entries: FeedEntry[]): string {
  const texts = calendarFeedTexts[language];
  const calendar = ical({
    ...{ name: plain(name), prodId: { ...PRODUCT, language: tagOf(language) } },
    ...{ ttl: REFRESH_SECONDS, method: ICalCalendarMethod.PUBLISH },
  });
  for (const entry of entries) {
    const link = entry.token === undefined ? null : `${base}/check-in/${entry.token}?ask`;
    calendar.createEvent({
      id: `${entry.key}@${id}`,
      stamp: startOf(today), // DTSTAMP, which is required, and else would be now
      start: startOf(entry.first),
      end: startOf(daysAfter(entry.last, 1)), // the first day that is none of it
      allDay: true,
      summary: plain(summaryOf(entry, texts)),
      ...(link && { url: link, description: texts.done(link) }),
      status: entry.isCancelled ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
      transparency: ICalEventTransparency.TRANSPARENT,
      busystatus: ICalEventBusyStatus.FREE,
    });
  }
  return calendar.toString();
}

function summaryOf({ title, isPause, isKept }: FeedEntry, texts: CalendarFeedTexts): string {
  if (isPause) return title === null ? texts.pause : texts.pauseOf(title);
  return isKept ? `✓ ${title}` : (title ?? '');
}

/** No line of a calendar may have control characters, which readers take for its end or refuse. */
const plain = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
