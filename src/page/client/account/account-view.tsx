import { openLater } from '../shell/later.js';
import { get, type State } from '../sync/store.js';
import { send } from '../sync/taps.js';
import { Button } from '../ui/button.js';
import { open, thenClose } from '../ui/dialog.js';
import {
  Checkbox,
  CurrentPassword,
  currentPasswordIn,
  Field,
  Form,
  NewPassword,
  textOf,
} from '../ui/form.js';
import { t } from '../ui/language.js';
import { sure } from '../ui/sure.js';
import { changePassword, deleteAccount, download, importFile, logOut, logOutElsewhere } from './account.js';
import { EmailAndProviders } from './email-and-providers.js';

/** Everything about an account but what is shown of it. */
export function Account({ state }: { state: State }) {
  const email = state.screen?.user.email ?? '';
  return (
    <>
      <p>{t.account.loggedInAs(email)}</p>
      <div class="buttons">
        <Button act={askToLogOut}>{t.account.logOut}</Button>
        <Button act={askToLogOutElsewhere}>{t.account.signOutOthers}</Button>
      </div>
      <EmailAndProviders email={email} />
      <h3>{t.signIn.password}</h3>
      <Password email={email} />
      <h3>{t.account.data}</h3>
      <Download />
      <details>
        <summary>{t.account.importTitle}</summary>
        <Import />
      </details>
      <h3>{t.account.others}</h3>
      <div class="buttons">
        <OpensRevocables of="apiTokens" title={t.account.apiTokens} />
        <OpensRevocables of="calendars" title={t.account.calendars} />
        <OpensRevocables of="webhooks" title="Webhooks" /> {/* in every language */}
      </div>
      <h3>{t.account.remove}</h3>
      <div class="buttons">
        <Button kind="quiet danger" act={() => open(t.account.removeSure, Deletion)}>
          {t.account.remove}
        </Button>
      </div>
    </>
  );
}

function OpensRevocables({ of, title }: { of: 'apiTokens' | 'calendars' | 'webhooks'; title: string }) {
  const show = () =>
    openLater(
      title,
      async () => (await import('../shell/later-views.js'))[of](),
      (View) =>
        ({ state }) => <View state={state} />,
    );
  return <Button act={show}>{title}</Button>;
}

function Password({ email }: { email: string }) {
  const change = (data: FormData) =>
    thenClose(() =>
      changePassword(textOf(data, 'newPassword'), currentPasswordIn(data), data.has('everywhere')),
    );
  return (
    <Form action={change} submit={t.back.set}>
      <input type="text" name="username" value={email} autocomplete="username" hidden readOnly />
      <CurrentPassword of="password" />
      <NewPassword id="password.newPassword" label={t.account.newPassword} />
      <Checkbox name="everywhere" label={t.account.signOutOthers} />
    </Form>
  );
}

/** With what waits on this device left out: it is not in the account yet. */
const Download = () => (
  <Form
    action={(data) => download(textOf(data, 'file') || 'export')}
    submit={t.account.downloadAll}
    others={
      <button type="submit" class="quiet" name="file" value="completions.csv">
        {t.account.downloadCompletions}
      </button>
    }
  />
);

function Import() {
  const act = async (data: FormData) => {
    const leftOut = await thenClose(() => importFile(data.get('file') as File));
    if (leftOut.length > 0) open(t.account.leftOut, () => <LeftOut lines={leftOut} />);
  };
  return (
    <Form action={act} submit={t.account.import}>
      <Field
        id="import.file"
        label={t.account.importFile}
        type="file"
        accept=".json,application/json,.zip,application/zip"
        hint={t.account.importHint}
        required
      />
    </Form>
  );
}

const LeftOut = ({ lines }: { lines: string[] }) => (
  <ul>
    {lines.map((line) => (
      <li key={line}>{line}</li>
    ))}
  </ul>
);

const askToLogOutElsewhere = () =>
  sure(t.account.signOutOthersSure, t.account.signThemOut, () => thenClose(logOutElsewhere));

/** What was not sent is not lost, but the person should know where it is. */
async function askToLogOut(): Promise<void> {
  if (get().taps.length > 0 && get().isOnline) await send();
  const { taps } = get();
  if (taps.length === 0) return logOut();
  sure(t.account.logOutWaiting(taps.length), t.account.logOut, logOut);
}

const Deletion = () => (
  <>
    <p>
      <strong>{t.account.removeWarning}</strong> {t.account.removeWhat}
    </p>
    <Download />
    <h3>{t.account.confirm}</h3>
    <Form
      action={(data) => deleteAccount(textOf(data, 'password') || null)}
      submit={t.menu.removeForGood}
      isDanger
    >
      <Field
        id="delete.password"
        label={t.signIn.password}
        type="password"
        autocomplete="current-password"
        hint={t.back.withoutPassword}
      />
    </Form>
  </>
);
