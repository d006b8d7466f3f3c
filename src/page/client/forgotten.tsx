import { closeDialog } from './dialog.js';
import { Field, Form, textOf } from './form.js';
import { t } from './language.js';
import { tell } from './store.js';
import { requestReset } from './ways-in.js';

/** For whoever forgot the password, where the service sends mails. */
export function Forgotten() {
  const request = async (data: FormData) => {
    await requestReset(textOf(data, 'email'));
    closeDialog();
    tell(t.back.asked, true);
  };
  return (
    <>
      <p class="about">{t.back.askAbout}</p>
      <Form action={request} submit={t.back.ask}>
        <Field
          id="forgotten.email"
          label={t.signIn.email}
          type="email"
          autocomplete="username"
          required
          autofocus
        />
      </Form>
    </>
  );
}
