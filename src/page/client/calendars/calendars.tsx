import { ask } from '../sync/api.js';
import type { State } from '../sync/store.js';
import type { Screen } from '../sync/types.js';
import { Checkbox, Field, Select, textOf } from '../ui/form.js';
import { words } from '../ui/later-words.js';
import { lastUsed, Revocables } from '../ui/revocable.js';
import { CALENDARS, CREATE_CALENDAR, DELETE_CALENDAR } from './calendars-documents.js';

interface Calendar {
  id: string;
  name: string;
  tag: string | null;
  section: string | null;
  lastReadAt: string | null;
}

const readCalendars = async () => (await ask<{ me: { calendars: Calendar[] } }>(CALENDARS, {})).me.calendars;

async function createCalendar(data: FormData): Promise<string> {
  const [kind = '', value = null] = textOf(data, 'which').split(/:(.*)/s);
  const chosen = kind && { [kind]: value };
  const input = { name: textOf(data, 'name'), links: data.has('links'), ...chosen };
  type Created = { createCalendarFeed: { url: string } };
  return (await ask<Created>(CREATE_CALENDAR, { input })).createCalendarFeed.url;
}

/** Addresses at which other calendars read the days of habits. */
export function Calendars({ state: { screen } }: { state: State }) {
  if (!screen) return null;
  const details = ({ section, tag, lastReadAt }: Calendar) => [
    section,
    tag && `#${tag}`,
    lastUsed(lastReadAt, screen.user),
  ];
  return (
    <Revocables
      about={words.calendars.about}
      read={readCalendars}
      details={details}
      revoke={(id) => ask(DELETE_CALENDAR, { id })}
      create={createCalendar}
      submit={words.calendars.create}
    >
      <Field id="calendar.name" label={words.name} value="Steady" required maxlength={200} />
      <Select id="calendar.which" label={words.calendars.which} value="" options={choicesIn(screen)} />
      <Checkbox name="links" label={words.calendars.links} />
    </Revocables>
  );
}

function choicesIn({ tasks, user }: Screen): Record<string, string> {
  const tags = new Map(tasks.flatMap((each) => each.tags).map((tag) => [tag.toLowerCase(), tag]));
  return Object.fromEntries([
    ['', words.calendars.all],
    ...user.sections.map((name) => [`section:${name}`, name]),
    ...[...tags.values()].map((tag) => [`tag:${tag}`, `#${tag}`]),
  ]);
}
