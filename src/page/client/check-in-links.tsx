import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from './button.js';
import { dateInWords, dayAt } from './days.js';
import { Field, Form, textOf } from './form.js';
import { t } from './language.js';
import { QrCode } from './qr-code.js';
import { words } from './reminder-texts.js';
import { type CheckInLink, createLink, readLinks, revokeLink } from './reminders.js';
import { get, type State, set, tell } from './store.js';
import { sure } from './sure.js';
import type { Task, User } from './types.js';

/** Addresses that complete one habit: for stickers, shortcuts and buttons. */
export function CheckInLinks({ id, state: { screen } }: { id: string; state: State }) {
  const [links, setLinks] = useState<CheckInLink[]>();
  const [url, setUrl] = useState(''); // of the one that was just made: it is shown once
  const read = () => readLinks(id).then(setLinks);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is read when it is opened
  useEffect(() => void read(), []);
  const task = screen?.tasks.find((each) => each.id === id);
  if (!links || !screen || !task) return <p class="about">{t.common.loading}</p>;
  const create = async (data: FormData) => {
    const amount = textOf(data, 'amount');
    setUrl(await createLink(id, textOf(data, 'name'), amount ? Number(amount) : null));
    await read();
  };
  return (
    <>
      <p class="about">{words.checkIn.about}</p>
      <ul>
        {links.map((each) => (
          <LinkRow key={each.id} link={each} task={task} user={screen.user} isChanged={read} />
        ))}
      </ul>
      {url ? <NewLink url={url} /> : <Creation task={task} create={create} />}
    </>
  );
}

function NewLink({ url }: { url: string }) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    input.current?.focus(); // the button that had it has gone
    input.current?.select();
  }, []);
  const copy = async () => {
    await navigator.clipboard.writeText(url);
    tell(words.checkIn.copied, true);
  };
  return (
    <>
      <p class="field">
        <label for="new-link">{words.checkIn.shownOnce}</label>
        <input id="new-link" value={url} readOnly ref={input} />
      </p>
      <div class="buttons">{navigator.clipboard && <Button act={copy}>{words.checkIn.copy}</Button>}</div>
      <QrCode text={url} label={words.checkIn.qrCode} />
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
    {task.target && (
      <Field
        id="link.amount"
        label={t.common.optional(t.entry.howMany(task.target.unit))}
        type="number"
        inputMode="decimal"
        min={0.001}
        max={1_000_000_000}
        step={0.001}
      />
    )}
  </Form>
);

interface LinkRowProps {
  link: CheckInLink;
  task: Task;
  user: User;
  isChanged: () => Promise<unknown>;
}

function LinkRow({ link: { id, name, amount, lastUsedAt }, task, user, isChanged }: LinkRowProps) {
  const revoke = () => {
    const { dialog } = get();
    const act = async () => {
      await revokeLink(id);
      await isChanged();
      set({ dialog });
    };
    sure(words.checkIn.revokeSure(name), t.tokens.revoke, act, true);
  };
  const about = [
    amount !== null && `${t.number(amount)} ${task.target?.unit ?? ''}`,
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
