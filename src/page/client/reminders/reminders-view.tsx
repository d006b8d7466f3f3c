import { useState } from 'preact/hooks';
import { dayAt, type Zone } from '../../../../packages/client/src/day.js';
import { setting } from '../shell/session.js';
import { type State, tell } from '../sync/store.js';
import { shortDate, timeIn } from '../today/days.js';
import { useAnswer, Waiting } from '../ui/answer.js';
import { Button } from '../ui/button.js';
import { Field, Form, textOf } from '../ui/form.js';
import { t } from '../ui/language.js';
import { words } from '../ui/later-words.js';
import { QrCode } from '../ui/qr-code.js';
import { sure } from '../ui/sure.js';
import { deviceName, obstacle, ringHere, ringHereNoMore } from './push.js';
import {
  addChannel,
  type Channel,
  deleteChannel,
  isGoing,
  type ReminderService,
  readReminders,
  setDayReminder,
  testChannel,
} from './reminders.js';

/** The day's reminder, and where reminders are sent to. */
export function Reminders({ state: { screen } }: { state: State }) {
  const [known, readAgain] = useAnswer(readReminders);
  if (!known || !screen) return <Waiting />;
  const { me, reminderService } = known;
  const saveDay = async (data: FormData) => {
    await setDayReminder(textOf(data, 'dayReminder') || null);
    tell(words.saved, true);
  };
  const going = me.channels.filter(isGoing);
  const added = async (name: string) => {
    tell(words.added(name), true); // it is, even if the rest cannot be read
    await readAgain();
  };
  return (
    <>
      <p class="about">{words.ofHabits}</p>
      <Form action={saveDay} submit={t.common.save}>
        <Field
          id="reminders.dayReminder"
          label={words.ofDay}
          type="time"
          value={me.dayReminder ?? ''}
          hint={words.ofDayHint}
        />
      </Form>
      <h3>{words.where}</h3>
      {going.length === 0 && <p class="notice">{words.nowhere}</p>}
      <ul>
        {me.channels.map((each) => (
          <ChannelRow key={each.id} channel={each} zone={screen.user} isTested={readAgain} />
        ))}
      </ul>
      {!going.some(({ id }) => id === setting('channel')) && (
        <ThisDevice service={reminderService} isFirst={going.length === 0} added={added} />
      )}
      <Others key={me.channels.length} service={reminderService} added={added} />
    </>
  );
}

interface ChannelProps {
  channel: Channel;
  zone: Zone;
  isTested: () => Promise<unknown>;
}

function ChannelRow({ channel, zone, isTested }: ChannelProps) {
  const { id, kind, name, state, lastSentAt, lastError } = channel;
  const isHere = id === setting('channel');
  const test = async () => {
    const error = await testChannel(id);
    tell(error === null ? words.tested(name) : words.testFailed(error), error === null);
    await isTested();
  };
  const act = () => (isHere ? ringHereNoMore() : deleteChannel(id));
  const remove = () => sure(words.removeSure(name), words.remove, act, true);
  const at = lastSentAt === null ? null : Date.parse(lastSentAt);
  const about = [
    isHere && words.isHere,
    name.toLowerCase() !== words.kinds[kind].toLowerCase() && words.kinds[kind],
    state === 'WORKING' && !at ? words.untried : words.states[state],
    state === 'WORKING'
      ? at && words.lastSent(`${shortDate(dayAt(at, zone))}, ${timeIn(at, zone.timeZone)}`)
      : lastError,
  ];
  return (
    <li class="row channel">
      <span class="title">
        {name} <span class="about">{about.filter(Boolean).join(' · ')}</span>
      </span>
      <div class="buttons">
        <Button label={words.testOf(name)} act={test}>
          {words.test}
        </Button>
        <Button label={words.removeOf(name)} act={remove}>
          {words.remove}
        </Button>
      </div>
    </li>
  );
}

interface Adding {
  service: ReminderService;
  added: (name: string) => Promise<void>;
}

function ThisDevice({ service: { pushKey }, isFirst, added }: Adding & { isFirst: boolean }) {
  const inTheWay = obstacle();
  if (!pushKey) return <p class="about">{words.obstacles.service}</p>;
  if (inTheWay) return <p class="notice">{words.obstacles[inTheWay]}</p>;
  const ring = async (data: FormData) => {
    const name = textOf(data, 'name');
    await ringHere(pushKey, name);
    await added(name);
  };
  return (
    <details open={isFirst}>
      <summary>{words.here}</summary>
      <Form action={ring} submit={words.allow}>
        <Field id="device.name" label={words.name} value={deviceName()} required maxlength={200} />
      </Form>
    </details>
  );
}

/** Whoever knows the topic can read along, so nobody should guess it. */
const newTopic = () =>
  `steady-${Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;

function Others({ service, added }: Adding) {
  const addApprise = async (data: FormData) => {
    const name = textOf(data, 'name');
    await addChannel(name, { apprise: { urls: textOf(data, 'urls').trim() } });
    await added(name);
  };
  return (
    <>
      {service.kinds.includes('NTFY') && (
        <details>
          <summary>{words.byNtfy}</summary>
          <Ntfy added={added} />
        </details>
      )}
      {service.kinds.includes('APPRISE') && (
        <details>
          <summary>{words.byApprise}</summary>
          <Form action={addApprise} submit={words.add}>
            <Field id="apprise.name" label={words.name} value="Apprise" required maxlength={200} />
            <Field id="apprise.urls" label={words.urls} rows={2} required hint={words.urlsHint} />
          </Form>
        </details>
      )}
    </>
  );
}

function Ntfy({ added }: Pick<Adding, 'added'>) {
  const [topic, setTopic] = useState(newTopic);
  const add = async (data: FormData) => {
    const name = textOf(data, 'name');
    const token = textOf(data, 'token').trim();
    await addChannel(name, { ntfy: { topic, ...(token && { token }) } });
    await added(name);
  };
  return (
    <>
      <p class="about">{words.ntfyHow}</p>
      {topic && <QrCode text={topic} label={words.topicCode} />}
      <Form action={add} submit={words.add}>
        <Field
          id="ntfy.topic"
          label={words.topic}
          value={topic}
          required
          pattern="[A-Za-z0-9_\-]{1,64}"
          onInput={({ currentTarget }) => setTopic((currentTarget as HTMLInputElement).value)}
        />
        <Field id="ntfy.name" label={words.name} value="ntfy" required maxlength={200} />
        <Field id="ntfy.token" label={t.common.optional(words.token)} type="password" autocomplete="off" />
      </Form>
    </>
  );
}
