import { changePassword, deleteAccount, download, importFile, logOut, logOutElsewhere } from './account.js';
import { ApiTokens } from './api-tokens.js';
import { Button } from './button.js';
import { counted } from './days.js';
import { closeDialog, open, sure } from './dialog.js';
import { Checkbox, Field, Form, NewPassword, textOf } from './form.js';
import { get, type State } from './store.js';
import { send } from './taps.js';

/** Everything about an account but what is shown of it. */
export function Account({ state }: { state: State }) {
  const email = state.screen?.user.email ?? '';
  return (
    <>
      <p>Logged in as {email}.</p>
      <div class="buttons">
        <Button act={askToLogOut}>Log out</Button>
        <Button act={askToLogOutElsewhere}>Sign out other devices</Button>
      </div>
      <h3>Password</h3>
      <Password email={email} />
      <h3>Your data</h3>
      <Download />
      <details>
        <summary>Import an export</summary>
        <Import />
      </details>
      <h3>API tokens</h3>
      <ApiTokens />
      <h3>Delete the account</h3>
      <div class="buttons">
        <Button kind="quiet danger" act={() => open('Delete the account?', Deletion)}>
          Delete the account
        </Button>
      </div>
    </>
  );
}

function Password({ email }: { email: string }) {
  const change = async (data: FormData) => {
    await changePassword(textOf(data, 'newPassword'), data.has('everywhere'));
    closeDialog();
  };
  return (
    <Form action={change} submit="Change password">
      <input type="text" name="username" value={email} autocomplete="username" hidden readOnly />
      <NewPassword id="password.newPassword" label="New password" />
      <Checkbox name="everywhere" label="Sign out other devices" />
    </Form>
  );
}

/** With what waits on this device left out: it is not in the account yet. */
const Download = () => (
  <Form
    action={(data) => download(textOf(data, 'file') || 'export')}
    submit="Download everything (JSON)"
    others={
      <button type="submit" class="quiet" name="file" value="completions.csv">
        Download completions (CSV)
      </button>
    }
  />
);

function Import() {
  const act = async (data: FormData) => {
    const leftOut = await importFile(data.get('file') as File);
    closeDialog();
    if (leftOut.length > 0) open('Not taken along', () => <LeftOut lines={leftOut} />);
  };
  return (
    <Form action={act} submit="Import">
      <Field
        id="import.file"
        label="A file with everything"
        type="file"
        accept=".json,application/json,.zip,application/zip"
        hint="What Steady has downloaded (JSON), or what Loop Habit Tracker exports as CSV (ZIP). Only into an account without habits."
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

const askToLogOutElsewhere = () => sure('Sign out all other devices?', 'Sign them out', logOutElsewhere);

/** What was not sent is not lost, but the person should know where it is. */
async function askToLogOut(): Promise<void> {
  if (get().taps.length > 0 && get().isOnline) await send();
  const { taps } = get();
  if (taps.length === 0) return logOut();
  const question = `${counted(taps.length, 'tap')} not saved yet, waiting here until you log in again. Log out?`;
  sure(question, 'Log out', logOut);
}

const Deletion = () => (
  <>
    <p>
      <strong>Everything in it is deleted for good:</strong> habits, what was done, points, challenges, API
      tokens. Nobody can bring it back. You can download your data first:
    </p>
    <Download />
    <h3>Confirm with your password</h3>
    <Form action={(data) => deleteAccount(textOf(data, 'password'))} submit="Delete it for good" isDanger>
      <Field id="delete.password" label="Password" type="password" autocomplete="current-password" required />
    </Form>
  </>
);
