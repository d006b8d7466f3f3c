import { tell } from '../sync/store.js';
import { useAnswer } from '../ui/answer.js';
import { Button } from '../ui/button.js';
import { open, thenClose } from '../ui/dialog.js';
import { Field, Form, textOf } from '../ui/form.js';
import { t } from '../ui/language.js';
import { readService, requestReset, type SignInService } from './ways-in.js';

/** Undefined until the service has answered: without a network nobody gets in either way. */
export const useService = (): SignInService | undefined =>
  useAnswer(() => readService().catch(() => undefined))[0];

/** A new password comes by mail, or from whoever runs the service. */
export const ForgottenPassword = ({ service, act }: { service?: SignInService; act: () => unknown }) => (
  <p class="about">
    {service?.sendsMail ? (
      <Button kind="link" act={act}>
        {t.back.forgotten}
      </Button>
    ) : (
      service && t.signIn.forgotten
    )}
  </p>
);

/** What was typed as the address already is taken over. */
export const openForgotten = (email = ''): void => open(t.back.forgotten, () => <Forgotten email={email} />);

function Forgotten({ email }: { email: string }) {
  const request = async (data: FormData) => {
    await thenClose(() => requestReset(textOf(data, 'email')));
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
          value={email}
          required
          autofocus
        />
      </Form>
    </>
  );
}
