import { logOut, logOutElsewhere, updateProfile, zoneOfDevice } from './account.js';
import { closeDialog } from './dialog.js';
import { Checkbox, Field, Form, textOf } from './form.js';
import { type State, set } from './store.js';
import type { User } from './types.js';

export const Settings = ({ user, state }: { user: User; state: State }) => (
  <>
    <Profile user={user} />
    <h3>Password</h3>
    <Password email={user.email} />
    <h3>This device</h3>
    <p>Logged in as {user.email}.</p>
    <div class="buttons">
      <button type="button" class="quiet" onClick={() => askToLogOut(state)}>
        Log out
      </button>
    </div>
  </>
);

function Profile({ user }: { user: User }) {
  const save = async (data: FormData) => {
    await updateProfile({
      name: textOf(data, 'name'),
      timeZone: textOf(data, 'timeZone'),
      dayStartsAt: Number(textOf(data, 'dayStartsAt')),
    });
    closeDialog();
  };
  const zones = [...new Set([zoneOfDevice(), 'UTC', ...Intl.supportedValuesOf('timeZone')])];
  return (
    <Form name="settings" action={save} submit="Save">
      <Field id="settings.name" label="Name" value={user.name} autocomplete="name" required maxlength={200} />
      <Field
        id="settings.timeZone"
        label="Time zone of my days"
        value={user.timeZone}
        hint={`This device is in ${zoneOfDevice()}.`}
        list="zones"
        required
      />
      <datalist id="zones">
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <Field
        id="settings.dayStartsAt"
        label="My day begins at hour"
        type="number"
        value={user.dayStartsAt}
        hint="0 is midnight; up to 6, for those who go to bed late."
        min={0}
        max={6}
        required
      />
    </Form>
  );
}

function Password({ email }: { email: string }) {
  const change = async (data: FormData) => {
    await updateProfile({ newPassword: textOf(data, 'newPassword') });
    if (data.has('everywhere')) await logOutElsewhere();
    closeDialog();
  };
  return (
    <Form name="password" action={change} submit="Change password">
      <input type="text" name="username" value={email} autocomplete="username" hidden readOnly />
      <Field
        id="settings.newPassword"
        label="New password"
        type="password"
        autocomplete="new-password"
        hint="At least 6 characters."
        required
        minlength={6}
      />
      <Checkbox name="everywhere" label="Sign out everywhere else" />
    </Form>
  );
}

/** What was not sent is not lost, but the person should know where it is. */
function askToLogOut({ taps }: State): void {
  if (taps.length === 0) return void logOut();
  const few = taps.length === 1 ? '1 tap has' : `${taps.length} taps have`;
  const question = `${few} not been saved yet. Log out? They wait on this device until you log in again.`;
  set({ dialog: { kind: 'sure', question, yes: 'Log out', act: logOut } });
}
