import ICAL from 'ical.js';
import { expect } from 'vitest';
import type { Answer, TestUser, World } from '../support/world.js';

export const CREATE = `mutation ($input: CreateCalendarFeedInput!) {
  createCalendarFeed(input: $input) {
    url calendar { id name tag section links createdAt lastReadAt } user { id calendars { id } }
  }
}`;

/** Makes a calendar, and answers it with the path of its address. */
export async function calendarOf(ana: TestUser, input: object = {}) {
  const { createCalendarFeed } = await ana.query(CREATE, { input: { name: 'Habits', ...input } });
  return { ...createCalendarFeed.calendar, path: new URL(createCalendarFeed.url).pathname };
}

/** An entry, as another parser understands it. */
export interface Entry {
  uid: string;
  summary: string;
  /** The first day, and the first that is none of it. */
  start: string;
  end: string;
  stamp: string;
  status: string;
  url: string | null;
  description: string | null;
}

export function parsed(text: string): { calendar: ICAL.Component; entries: Entry[] } {
  const calendar = new ICAL.Component(ICAL.parse(text));
  const entries = calendar.getAllSubcomponents('vevent').map((component) => {
    const event = new ICAL.Event(component);
    expect(event.startDate.isDate, 'all day').toBe(true);
    const valueIn = (name: string) => component.getFirstPropertyValue(name)?.toString() ?? null;
    return {
      ...{ uid: event.uid, summary: event.summary, status: valueIn('status') ?? '' },
      ...{ start: event.startDate.toString(), end: event.endDate.toString() },
      ...{ stamp: valueIn('dtstamp') ?? '', url: valueIn('url'), description: valueIn('description') },
    };
  });
  return { calendar, entries };
}

export async function read(here: World, path: string, headers?: Record<string, string>): Promise<Answer> {
  const answer = await here.rest.get(path, headers);
  expect(answer.status, answer.text).toBe(200);
  return answer;
}

/** The entries of a calendar as it is now. */
export const entriesIn = async (here: World, path: string): Promise<Entry[]> =>
  parsed((await read(here, path)).text).entries;

/** The days of the entries with this summary. */
export const daysWith = (entries: readonly Entry[], summary: string): string[] =>
  entries.filter((entry) => entry.summary === summary).map(({ start }) => start);

export async function hasHabit(ana: TestUser, input: string): Promise<string> {
  const { createTask } = await ana.query(`mutation { createTask(input: { ${input} }) { task { id } } }`);
  return createTask.task.id;
}
