import { type CheckInLink, createLink, deleteLink, readLinks } from '../reminders/reminders.js';
import type { State } from '../sync/store.js';
import { Amount, amountOf, Field, textOf } from '../ui/form.js';
import { t } from '../ui/language.js';
import { words } from '../ui/later-words.js';
import { lastUsed, Revocables } from '../ui/revocable.js';

/** Addresses that complete one habit: for stickers, shortcuts and buttons. */
export function CheckInLinks({ id, state: { screen } }: { id: string; state: State }) {
  const task = screen?.tasks.find((each) => each.id === id);
  if (!screen || !task) return null;
  const { amount: goal = 0, unit = '' } = task.target ?? {};
  const details = ({ amount, lastUsedAt }: CheckInLink) => [
    amount !== null && t.habit.valueOf(amount, goal, unit),
    lastUsed(lastUsedAt, screen.user),
  ];
  return (
    <Revocables
      about={words.checkIn.about}
      read={() => readLinks(id)}
      details={details}
      revoke={deleteLink}
      create={(data) => createLink(id, textOf(data, 'name'), amountOf(data) || null)}
      submit={words.checkIn.create}
      qrCode={words.checkIn.qrCode}
    >
      <Field
        id="link.name"
        label={words.checkIn.name}
        placeholder={words.checkIn.example}
        required
        maxlength={200}
      />
      {task.target && <Amount id="link.amount" label={t.common.optional(t.entry.howMany(unit))} />}
    </Revocables>
  );
}
