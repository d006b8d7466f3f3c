import { useEffect, useState } from 'preact/hooks';
import { Button } from './button.js';
import { dayAt, shortDate, timeIn } from './days.js';
import { Field, Form, textOf } from './form.js';
import { t } from './language.js';
import { deviceName, obstacle, ringHere, ringHereNoMore } from './push.js';
import { QrCode } from './qr-code.js';
import { words } from './reminder-texts.js';
import {
  addChannel,
  type Channel,
  type Reminders as Known,
  type ReminderService,
  readReminders,
  removeChannel,
  setDayReminder,
  testChannel,
} from './reminders.js';
import { setting } from './session.js';
import { get, type State, set, tell } from './store.js';
import { sure } from './sure.js';
import type { Zone } from './types.js';

/** The day's reminder, and where reminders are sent to. */
export function Reminders({ state: { screen } }: { state: State }) {
  const [known, setKnown] = useState<Known>();
  const read = () => readReminders().then(setKnown);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is read when it is opened
  useEffect(() => void read(), []);
  if (!known || !screen) return <p class="about">{t.common.loading}</p>;
  const { me, reminderService } = known;
  const { pushKey } = reminderService;
  const saveDay = async (data: FormData) => {
    await setDayReminder(textOf(data, 'dayReminder') || null);
    tell(words.saved, true);
  };
  const isHere = me.channels.some(({ id, state }) => id === setting('channel') && state !== 'ENDED');
  if (!Object.values(reminderService).some(Boolean)) return <p>{words.unavailable}</p>;
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
      <ul>
        {me.channels.map((each) => (
          <ChannelRow key={each.id} channel={each} zone={screen.user} isChanged={read} />
        ))}
      </ul>
      {pushKey && (
        <ThisDevice pushKey={pushKey} isFirst={me.channels.length === 0} isHere={isHere} isChanged={read} />
      )}
      <Others service={reminderService} isChanged={read} />
    </>
  );
}

interface Changing {
  isChanged: () => Promise<unknown>;
}

function ChannelRow({ channel, zone, isChanged }: { channel: Channel; zone: Zone } & Changing) {
  const { id, kind, name, state, lastSentAt, lastError } = channel;
  const isHere = id === setting('channel');
  const test = async () => {
    const error = await testChannel(id);
    tell(error === null ? words.tested(name) : words.testFailed(error), error === null);
    await isChanged();
  };
  const remove = () => {
    const { dialog } = get();
    const act = async () => {
      await (isHere ? ringHereNoMore() : removeChannel(id));
      await isChanged();
      set({ dialog });
    };
    sure(words.removeSure(name), words.remove, act, true);
  };
  const at = lastSentAt === null ? null : Date.parse(lastSentAt);
  const about = [
    isHere && words.isHere,
    name.toLowerCase() !== words.kinds[kind].toLowerCase() && words.kinds[kind],
    words.states[state],
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

interface ThisDeviceProps extends Changing {
  pushKey: string;
  /** Whether reminders go nowhere yet. */
  isFirst: boolean;
  isHere: boolean;
}

function ThisDevice({ pushKey, isFirst, isHere, isChanged }: ThisDeviceProps) {
  const inTheWay = obstacle();
  if (inTheWay) return <p class="notice">{words.obstacles[inTheWay]}</p>;
  if (isHere) return null;
  const ring = async (data: FormData) => {
    await ringHere(pushKey, textOf(data, 'name'));
    await isChanged();
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

function Others({ service, isChanged }: { service: ReminderService } & Changing) {
  const addApprise = async (data: FormData) => {
    await addChannel({ name: textOf(data, 'name'), apprise: { urls: textOf(data, 'urls').trim() } });
    await isChanged();
  };
  return (
    <>
      {service.ntfy && (
        <details>
          <summary>{words.byNtfy}</summary>
          <Ntfy isChanged={isChanged} />
        </details>
      )}
      {service.apprise && (
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

function Ntfy({ isChanged }: Changing) {
  const [topic, setTopic] = useState(newTopic);
  const add = async (data: FormData) => {
    const token = textOf(data, 'token').trim();
    await addChannel({ name: textOf(data, 'name'), ntfy: { topic, ...(token && { token }) } });
    await isChanged();
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
