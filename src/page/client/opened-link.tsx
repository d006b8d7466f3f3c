import type { ComponentChildren } from 'preact';
import { Button } from './button.js';
import { Form, NewPassword, textOf } from './form.js';
import { t } from './language.js';
import type { Link } from './link.js';
import { set } from './store.js';
import { confirmEmail, resetPassword, undoEmailChange } from './ways-in.js';

/** For whoever opened a link from a mail. Nothing happens before a button is pressed: scanners open links too. */
export function OpenedLink({ link: { kind, token } }: { link: Link }) {
  if (kind === 'reset')
    return (
      <Card title={t.back.newTitle} about={t.back.newAbout}>
        <Form
          action={(data) => resetPassword(token, textOf(data, 'newPassword'))}
          submit={t.back.set}
          others={<NotNow />}
        >
          <NewPassword id="reset.newPassword" label={t.account.newPassword} />
        </Form>
      </Card>
    );
  const isConfirmation = kind === 'confirm';
  const { title, about, submit } = isConfirmation ? t.back.confirmation : t.back.undoing;
  return (
    <Card title={title} about={about}>
      <Form
        action={() => (isConfirmation ? confirmEmail(token) : undoEmailChange(token))}
        submit={submit}
        others={<NotNow />}
      />
    </Card>
  );
}

const Card = ({ title, about, children }: { title: string; about: string; children: ComponentChildren }) => (
  <section class="card welcome">
    <h1>{title}</h1>
    <p class="about">{about}</p>
    {children}
  </section>
);

const NotNow = () => <Button act={() => set({ link: null })}>{t.back.notNow}</Button>;
