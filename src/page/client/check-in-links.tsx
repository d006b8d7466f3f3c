import { useState } from 'preact/hooks';
import { useAnswer, Waiting } from './answer.js';
import { Button } from './button.js';
import { dateInWords, dayAt } from './days.js';
import { Amount, amountOf, Field, Form, textOf } from './form.js';
import { t } from './language.js';
import { QrCode } from './qr-code.js';
import { words } from './reminder-texts.js';
import { type CheckInLink, createLink, readLinks, revokeLink } from './reminders.js';
import { ShownOnce } from './shown-once.js';
import type { State } from './store.js';
import { sure } from './sure.js';
import type { Task, User } from './types.js';

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
  const revoke = () => sure(words.checkIn.revokeSure(name), t.tokens.revoke, () => revokeLink(id), true);
  const about = [
    amount !== null && t.habit.valueOf(amount, 0, task.target?.unit ?? ''),
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
