import { useAnswer } from './answer.js';
import { Button } from './button.js';
import { closeDialog, open } from './dialog.js';
import { Field, Form, textOf } from './form.js';
import { t } from './language.js';
import { tell } from './store.js';
import { readService, requestReset, type SignInService } from './ways-in.js';

/** Undefined until the service has answered: without a network nobody gets in either way. */
export const useService = (): SignInService | undefined =>
  useAnswer(() => readService().catch(() => undefined))[0];

/** A new password comes by mail, or from whoever runs the service. */
export const ForgottenPassword = ({ service, act }: { service?: SignInService; act: () => unknown }) => (
  <p class="about">
    {service?.mail ? (
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
          value={email}
          required
          autofocus
        />
      </Form>
    </>
  );
}
