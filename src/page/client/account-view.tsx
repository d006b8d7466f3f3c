import { changePassword, deleteAccount, logOut, logOutElsewhere } from './account.js';
import { ApiTokens } from './api-tokens.js';
import { closeDialog, open, sure } from './dialog.js';
import { Checkbox, Field, Form, textOf } from './form.js';
import { type State, set } from './store.js';
import { bring, readApiTokens, takeAlong } from './takeout.js';
import { counted } from './words.js';

/** Everything about an account but what is shown of it. */
export function openAccount(): void {
  set({ apiTokens: null, newToken: '' });
  open('Account', Account);
  void readApiTokens(); // what scripts may do is asked for when it is looked at
}

const Account = (state: State) => (
  <>
    <p>Logged in as {emailIn(state)}.</p>
    <div class="buttons">
      <button type="button" class="quiet" onClick={() => askToLogOut(state)}>
        Log out
      </button>
      <button type="button" class="quiet" onClick={askToLogOutElsewhere}>
        Sign out other devices
      </button>
    </div>
    <h3>Password</h3>
    <Password email={emailIn(state)} />
    <h3>Your data</h3>
    <TakeAlong />
    <details>
      <summary>Bring an export here</summary>
      <Bring />
    </details>
    <h3>API tokens</h3>
    <ApiTokens state={state} />
    <h3>The end</h3>
    <div class="buttons">
      <button type="button" class="quiet danger" onClick={openDeletion}>
        Delete the account
      </button>
    </div>
  </>
);

const emailIn = ({ screen, session }: State) => screen?.user.email ?? session?.email ?? '';

function Password({ email }: { email: string }) {
  const change = async (data: FormData) => {
    await changePassword(textOf(data, 'newPassword'));
    if (data.has('everywhere')) await logOutElsewhere();
    closeDialog();
    set({ problem: 'The password is changed.' });
  };
  return (
    <Form name="password" action={change} submit="Change password">
      <input type="text" name="username" value={email} autocomplete="username" hidden readOnly />
      <Field
        id="password.newPassword"
        label="New password"
        type="password"
        autocomplete="new-password"
        hint="At least 6 characters."
        required
        minlength={6}
      />
      <Checkbox name="everywhere" label="Sign out other devices" />
    </Form>
  );
}

/** With what waits on this device left out: it is not in the account yet. */
export const TakeAlong = () => (
  <Form
    name="export"
    action={(data) => takeAlong(textOf(data, 'file') || 'export')}
    submit="Download everything (JSON)"
    others={
      <button type="submit" class="quiet" name="file" value="completions.csv">
        Download what was done (CSV)
      </button>
    }
  />
);

function Bring() {
  const act = async (data: FormData) => {
    await bring(data.get('file') as File);
    closeDialog();
  };
  return (
    <Form name="import" action={act} submit="Import">
      <Field
        id="import.file"
        label="A file with everything (JSON)"
        type="file"
        accept=".json,application/json"
        hint="Only into an account without habits."
        required
      />
    </Form>
  );
}

const askToLogOutElsewhere = () => sure('Sign out all other devices?', 'Sign them out', logOutElsewhere);

/** What was not sent is not lost, but the person should know where it is. */
function askToLogOut({ taps }: State): void {
  if (taps.length === 0) return void logOut();
  const question = `${counted(taps.length, 'tap')} not saved yet, waiting here until you log in again. Log out?`;
  sure(question, 'Log out', logOut);
}

const Deletion = () => (
  <>
    <p>
      <strong>Everything in it goes, for good:</strong> habits, what was done, points, challenges, API tokens.
      Nobody can bring it back. Take it along first:
    </p>
    <TakeAlong />
    <h3>To be sure that it is you</h3>
    <Form
      name="delete"
      action={(data) => deleteAccount(textOf(data, 'password'))}
      submit="Delete it for good"
    >
      <Field id="delete.password" label="Password" type="password" autocomplete="current-password" required />
    </Form>
  </>
);

const openDeletion = () => open('Delete the account?', Deletion);
