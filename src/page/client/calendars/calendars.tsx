import { useState } from 'preact/hooks';
import { dayAt } from '../../../../packages/client/src/day.js';
import { words } from '../reminders/reminder-texts.js';
import { ask } from '../sync/api.js';
import type { State } from '../sync/store.js';
import type { Task, User } from '../sync/types.js';
import { dateInWords } from '../today/days.js';
import { useAnswer, Waiting } from '../ui/answer.js';
import { Button } from '../ui/button.js';
import { Checkbox, Field, Form, Select, textOf } from '../ui/form.js';
import { t } from '../ui/language.js';
import { ShownOnce } from '../ui/shown-once.js';
import { sure } from '../ui/sure.js';
import { CALENDARS, CREATE_CALENDAR, DELETE_CALENDAR } from './calendars-documents.js';

interface Calendar {
  id: string;
  name: string;
  tag: string | null;
  section: string | null;
  lastReadAt: string | null;
}

const readCalendars = async (): Promise<Calendar[]> =>
  (await ask<{ me: { calendars: Calendar[] } }>(CALENDARS, {})).me.calendars;

/** Answers the address, which is shown once. */
async function createCalendar(data: FormData): Promise<string> {
  const [kind = '', value = null] = textOf(data, 'which').split(/:(.*)/s);
  const chosen = kind && { [kind]: value };
  const input = { name: textOf(data, 'name'), links: data.has('links'), ...chosen };
  type Created = { createCalendarFeed: { url: string } };
  return (await ask<Created>(CREATE_CALENDAR, { input })).createCalendarFeed.url;
}

/** Addresses at which other calendars read the days of habits. */
export function Calendars({ state: { screen } }: { state: State }) {
  const [calendars, readAgain] = useAnswer(readCalendars);
  const [url, setUrl] = useState(''); // of the one that was just made: it is shown once
  if (!calendars || !screen) return <Waiting />;
  const create = async (data: FormData) => {
    setUrl(await createCalendar(data));
    await readAgain();
  };
  return (
    <>
      <p class="about">{words.calendars.about}</p>
      <ul>
        {calendars.map((each) => (
          <Row key={each.id} calendar={each} user={screen.user} />
        ))}
      </ul>
      {url ? (
        <ShownOnce label={words.checkIn.shownOnce} text={url} />
      ) : (
        <Creation create={create} tasks={screen.tasks} sections={screen.user.sections} />
      )}
    </>
  );
}

interface CreationProps {
  create: (data: FormData) => Promise<void>;
  tasks: readonly Task[];
  sections: readonly string[];
}

function Creation({ create, tasks, sections }: CreationProps) {
  const tags = new Map(tasks.flatMap((each) => each.tags).map((tag) => [tag.toLowerCase(), tag]));
  const options = Object.fromEntries([
    ['', words.calendars.all],
    ...sections.map((name) => [`section:${name}`, name]),
    ...[...tags.values()].map((tag) => [`tag:${tag}`, `#${tag}`]),
  ]);
  return (
    <Form action={create} submit={words.calendars.create}>
      <Field id="calendar.name" label={words.name} value="Steady" required maxlength={200} />
      <Select id="calendar.which" label={words.calendars.which} value="" options={options} />
      <Checkbox name="links" label={words.calendars.links} />
    </Form>
  );
}

function Row({ calendar, user }: { calendar: Calendar; user: User }) {
  const { id, name, tag, section, lastReadAt } = calendar;
  const remove = () => ask(DELETE_CALENDAR, { id });
  const revoke = () => sure(words.checkIn.revokeSure(name), t.tokens.revoke, remove, true);
  const about = [
    section,
    tag && `#${tag}`,
    lastReadAt && t.tokens.lastUsed(dateInWords(dayAt(Date.parse(lastReadAt), user))),
  ];
  return (
    <li class="row">
      <span class="title">
        {name} <span class="about">{about.filter(Boolean).join(' · ')}</span>
      </span>
      <Button label={t.tokens.revokeOf(name)} act={revoke}>
        {t.tokens.revoke}
      </Button>
    </li>
  );
}
