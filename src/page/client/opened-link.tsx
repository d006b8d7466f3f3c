import { useState } from 'preact/hooks';
import { Refused } from './api.js';
import { Button } from './button.js';
import { ForgottenPassword, openForgotten, useService } from './forgotten.js';
import { Form, NewPassword, textOf } from './form.js';
import { t } from './language.js';
import type { MailedLink } from './link.js';
import { get, putLinkAway } from './store.js';
import { confirmEmail, requestConfirmation, resetPassword, undoEmailChange } from './ways-in.js';

const PURPOSES = {
  reset: {
    words: () => ({ title: t.back.newTitle, about: t.back.newAbout, submit: t.back.set }),
    use: (token: string, data: FormData) => resetPassword(token, textOf(data, 'newPassword')),
    Another: AnotherReset,
  },
  confirm: {
    words: () => t.back.confirmation,
    use: confirmEmail,
    Another: AnotherConfirmation,
  },
  'undo-email': {
    words: () => t.back.undoing,
    use: undoEmailChange,
    Another: () => null,
  },
};

/** For whoever opened a link from a mail. Nothing happens before a button is pressed: scanners open links too. */
export function OpenedLink({ link: { kind, token } }: { link: MailedLink }) {
  const [isOver, setOver] = useState(false);
  const { words, use, Another } = PURPOSES[kind];
  const { title, about, submit } = words();
  const act = async (data: FormData) => {
    try {
      await use(token, data);
    } catch (error) {
      if (error instanceof Refused && error.reason === 'RESET_INVALID') setOver(true);
      throw error;
    }
  };
  return (
    <section class="card welcome">
      <h1>{title}</h1>
      <p class="about">{about}</p>
      <Form action={act} submit={submit} others={<Button act={putLinkAway}>{t.back.notNow}</Button>}>
        {kind === 'reset' && <NewPassword id="reset.newPassword" label={t.account.newPassword} />}
      </Form>
      {isOver && <Another />}
    </section>
  );
}

function AnotherReset() {
  const act = () => {
    putLinkAway();
    return openForgotten();
  };
  return <ForgottenPassword service={useService()} act={act} />;
}

function AnotherConfirmation() {
  const act = () => requestConfirmation().then(putLinkAway);
  return (
    get().session?.token && (
      <p class="about">
        <Button kind="link" act={act}>
          {t.back.mailAgain}
        </Button>
      </p>
    )
  );
}
