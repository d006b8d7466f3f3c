import { dateInWords } from '../today/days.js';
import { useAnswer } from '../ui/answer.js';
import { Button } from '../ui/button.js';
import { thenClose } from '../ui/dialog.js';
import { CurrentPassword, currentPasswordIn, Field, Form, textOf } from '../ui/form.js';
import { t } from '../ui/language.js';
import { sure } from '../ui/sure.js';
import {
  changeEmail,
  connect,
  disconnect,
  type Provider,
  readWaysIn,
  requestConfirmation,
  type WaysIn as Ways,
} from './ways-in.js';

/** The address, whether it is confirmed, and log-ins at providers. */
export function EmailAndProviders({ email }: { email: string }) {
  const [ways] = useAnswer(readWaysIn, email);
  if (!ways) return null;
  const { me, signInService } = ways;
  return (
    <>
      {signInService.sendsMail && !me.emailConfirmedAt && <Unconfirmed />}
      <details>
        <summary>{t.back.changeEmail}</summary>
        <Form
          action={(data) => changeEmail(textOf(data, 'newEmail'), currentPasswordIn(data))}
          submit={t.common.save}
        >
          <Field
            id="account.newEmail"
            label={t.back.newEmail}
            type="email"
            autocomplete="email"
            hint={signInService.sendsMail ? t.back.oldIsTold : undefined}
            required
          />
          <CurrentPassword of="account" />
        </Form>
      </details>
      {signInService.providers.map((provider) => (
        <Connection key={provider.id} provider={provider} ways={ways} />
      ))}
    </>
  );
}

function Unconfirmed() {
  return (
    <p class="about">
      {t.back.unconfirmed}{' '}
      <Button kind="link" act={() => thenClose(requestConfirmation)}>
        {t.back.mailAgain}
      </Button>
    </p>
  );
}

interface ConnectionProps {
  provider: Provider;
  ways: Ways;
}

function Connection({ provider: { name, signOutUrl }, ways }: ConnectionProps) {
  const found = ways.me.identities.find(({ provider }) => provider === name);
  const takeAway = (id: string) => sure(t.back.disconnectSure(name), t.back.disconnect, () => disconnect(id));
  return (
    <>
      <p>
        {found
          ? t.back.connectedSince(name, dateInWords(found.connectedAt.slice(0, 10)))
          : t.back.notConnected(name)}
      </p>
      <div class="buttons">
        {found ? (
          <Button act={() => takeAway(found.id)}>{t.back.disconnect}</Button>
        ) : (
          <Button act={connect}>{t.back.connect(name)}</Button>
        )}
        {found && signOutUrl && (
          <a class="quiet" href={signOutUrl}>
            {t.back.signOutOf(name)}
          </a>
        )}
      </div>
    </>
  );
}
