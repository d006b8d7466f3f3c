import { useState } from 'preact/hooks';
import { dayAt } from '../../../../packages/client/src/day.js';
import { words } from '../reminders/reminder-texts.js';
import { type CheckInLink, createLink, deleteLink, readLinks } from '../reminders/reminders.js';
import type { State } from '../sync/store.js';
import type { Task, User } from '../sync/types.js';
import { dateInWords } from '../today/days.js';
import { useAnswer, Waiting } from '../ui/answer.js';
import { Button } from '../ui/button.js';
import { Amount, amountOf, Field, Form, textOf } from '../ui/form.js';
import { t } from '../ui/language.js';
import { QrCode } from '../ui/qr-code.js';
import { ShownOnce } from '../ui/shown-once.js';
import { sure } from '../ui/sure.js';

/** Addresses that complete one habit: for stickers, shortcuts and buttons. */
export function CheckInLinks({ id, state: { screen } }: { id: string; state: State }) {
  const [links, readAgain] = useAnswer(() => readLinks(id));
  const [url, setUrl] = useState(''); // of the one that was just made: it is shown once
  const task = screen?.tasks.find((each) => each.id === id);
  if (!links || !screen || !task) return <Waiting />;
  const create = async (data: FormData) => {
    setUrl(await createLink(id, textOf(data, 'name'), amountOf(data) || null));
    await readAgain();
  };
  return (
    <>
      <p class="about">{words.checkIn.about}</p>
      <ul>
        {links.map((each) => (
          <LinkRow key={each.id} link={each} task={task} user={screen.user} />
        ))}
      </ul>
      {url ? (
        <>
          <ShownOnce label={words.checkIn.shownOnce} text={url} />
          <QrCode text={url} label={words.checkIn.qrCode} />
        </>
      ) : (
        <Creation task={task} create={create} />
      )}
    </>
  );
}

const Creation = ({ task, create }: { task: Task; create: (data: FormData) => Promise<void> }) => (
  <Form action={create} submit={words.checkIn.create}>
    <Field
      id="link.name"
      label={words.checkIn.name}
      placeholder={words.checkIn.example}
      required
      maxlength={200}
    />
    {task.target && <Amount id="link.amount" label={t.common.optional(t.entry.howMany(task.target.unit))} />}
  </Form>
);

interface LinkRowProps {
  link: CheckInLink;
  task: Task;
  user: User;
}

function LinkRow({ link: { id, name, amount, lastUsedAt }, task, user }: LinkRowProps) {
  const revoke = () => sure(words.checkIn.revokeSure(name), t.tokens.revoke, () => deleteLink(id), true);
  const about = [
    amount !== null && t.habit.valueOf(amount, task.target?.amount ?? 0, task.target?.unit ?? ''),
    lastUsedAt && t.tokens.lastUsed(dateInWords(dayAt(Date.parse(lastUsedAt), user))),
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
