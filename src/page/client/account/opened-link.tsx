import { useState } from 'preact/hooks';
import type { Arrival, MailedLink } from '../shell/link.js';
import { refresh } from '../shell/screen.js';
import { ask, NoAnswer, Refused, sentenceOf } from '../sync/api.js';
import * as documents from '../sync/later-documents.js';
import { get, putLinkAway, set, tell } from '../sync/store.js';
import { Button } from '../ui/button.js';
import { Form, NewPassword, textOf } from '../ui/form.js';
import { t } from '../ui/language.js';
import { inWords, words } from '../ui/later-words.js';
import { begin, logOut } from './account.js';
import { ForgottenPassword, openForgotten, useService } from './forgotten.js';
import { requestConfirmation } from './ways-in.js';

async function leadToLogIn(email: string): Promise<void> {
  putLinkAway();
  await refresh(); // a log-in of this device may have ended by it, which takes notices away
  if (get().session?.token) await logOut(); // it is of somebody else
  set({ email });
}

async function resetPassword(token: string, newPassword: string): Promise<void> {
  type Reset = { resetPassword: { email: string } };
  const { resetPassword } = await ask<Reset>(documents.RESET, { token, newPassword }, null);
  await leadToLogIn(resetPassword.email);
  tell(words.links.isSet, true);
}

/** A link that was opened before has confirmed an address, which it does not tell any more. */
async function confirmEmail(token: string): Promise<void> {
  type Confirmed = { confirmEmail: { user: { email: string } } };
  const asked = ask<Confirmed>(documents.CONFIRM, { token }, null);
  const confirmed = await asked.catch((error: Partial<NoAnswer>) => {
    if (error.outcome !== 'APPLIED') throw error;
  });
  const email = confirmed?.confirmEmail.user.email;
  putLinkAway();
  if (email) set({ email });
  tell(t.back.confirmed(email), true);
}

async function undoEmailChange(token: string): Promise<void> {
  const { undoEmailChange } = await ask<{ undoEmailChange: { email: string } }>(
    documents.UNDO_EMAIL,
    { token },
    null,
  );
  const { email } = undoEmailChange;
  await leadToLogIn(email);
  tell(words.links.undone(email), true); // the service mails a link to a new password by itself
}

/** Anybody can send a link with words in it, which are none of ours. */
function refusedFor(word: string): Refused {
  const isOurs = [words.links.refused, t.reasons].some((texts) => Object.hasOwn(texts, word));
  return new Refused(word, isOurs ? word : 'LOG_IN_FAILED');
}

/** What the service means by it of a code: that it is good no more, or for a log-in that opens another account. */
const OF_CODES: Record<string, string> = {
  INVALID_CREDENTIALS: 'LOG_IN_EXPIRED',
  INVALID_INPUT: 'OTHER_ACCOUNT',
};

/** For whoever comes back from a provider. */
export async function arrive({ kind, token }: Arrival): Promise<void> {
  set({ link: null });
  await inWords(null);
  try {
    if (kind === 'login-error') throw refusedFor(token);
    const before = get().session?.userId;
    type Exchanged = { exchangeLogIn: { token: string; user: { id: string } } };
    const { exchangeLogIn } = await ask<Exchanged>(documents.EXCHANGE, { code: token });
    await begin(exchangeLogIn);
    if (exchangeLogIn.user.id === before) tell(words.links.isConnected, true);
  } catch (error) {
    set({ isNew: false });
    const reason = error instanceof Refused ? error.reason : '';
    const word = kind === 'login' ? (OF_CODES[reason] ?? reason) : reason;
    tell(words.links.refused[word] ?? sentenceOf(error));
    if (!(error instanceof Refused || error instanceof NoAnswer)) throw error;
  }
}

const PURPOSES = {
  reset: {
    texts: () => ({ title: words.links.newTitle, about: words.links.newAbout, submit: t.back.set }),
    use: (token: string, data: FormData) => resetPassword(token, textOf(data, 'newPassword')),
    Another: AnotherReset,
  },
  confirm: {
    texts: () => words.links.confirmation,
    use: confirmEmail,
    Another: AnotherConfirmation,
  },
  'undo-email': {
    texts: () => words.links.undoing,
    use: undoEmailChange,
    Another: () => null,
  },
};

/** For whoever opened a link from a mail. Nothing happens before a button is pressed: scanners open links too. */
function OpenedLink({ link: { kind, token } }: { link: MailedLink }) {
  const [isOver, setOver] = useState(false);
  const { texts, use, Another } = PURPOSES[kind];
  const { title, about, submit } = texts();
  const act = async (data: FormData) => {
    try {
      await use(token, data);
    } catch (error) {
      if (error instanceof Refused && error.reason === 'LINK_INVALID') setOver(true);
      throw error;
    }
  };
  return (
    <section class="card welcome">
      <h1>{title}</h1>
      <p class="about">{about}</p>
      <Form action={act} submit={submit} others={<Button act={putLinkAway}>{words.links.notNow}</Button>}>
        {kind === 'reset' && <NewPassword id="reset.newPassword" label={t.account.newPassword} />}
      </Form>
      {isOver && <Another />}
    </section>
  );
}

export const openedLink = () => inWords(OpenedLink);

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
