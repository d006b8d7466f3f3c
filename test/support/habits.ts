/// <reference lib="dom" />
import type { BrowserContextOptions, Page } from 'playwright-core';
import { type Opened, Person, PHONE, type Stage } from './page.js';

export const GLASSES = { target: { amount: 8, unit: 'glasses' } };

export const later = (date: string, days: number) =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);

export const today = async (person: Person): Promise<string> =>
  (await person.asks('{ me { today } }')).me.today;

export const WEEKDAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'];

/** Every weekday but that of a date. */
export const allBut = (date: string) => ({
  schedule: { weekdays: WEEKDAYS.filter((_day, index) => index !== new Date(date).getUTCDay()) },
});

export const listed = (page: Page) => page.locator('.today .tap:visible .title').allInnerTexts();

export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** In the menu of a habit. */
export const undoInMenu = (page: Page) =>
  page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true }).click();

export const more = (page: Page, title: string) => press(page, `More about ${title}`);

export const stateOn = async (person: Person, id: string, date: string) => {
  const query =
    'query ($id: ID!, $on: Date!) { task(id: $id) { calendar(from: $on, to: $on) { state amount notes } } }';
  return (await person.asks(query, { id, on: date })).task.calendar[0];
};

export type Habits = Record<string, object>;

export async function withHabits(
  stage: Stage,
  habits: Habits,
  options: BrowserContextOptions = {},
): Promise<Opened & { ana: Person; ids: string[]; now: string }> {
  const ana = await Person.on(stage);
  const ids: string[] = [];
  for (const [title, more] of Object.entries(habits)) ids.push(await ana.hasTask(title, more));
  const opened = await ana.opens({ viewport: PHONE, ...options });
  await opened.page.locator('.row').first().waitFor();
  return { ...opened, ana, ids, now: await today(ana) };
}
