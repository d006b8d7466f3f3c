import { zoneOfDevice } from './account.js';
import { changed, type Profile, updateProfile } from './changes.js';
import { closeDialog, open } from './dialog.js';
import { Field, Form, textOf } from './form.js';
import type { User } from './types.js';

function Settings({ user }: { user: User }) {
  const save = async (data: FormData) => {
    const profile = {
      name: textOf(data, 'name'),
      timeZone: textOf(data, 'timeZone'),
      dayStartsAt: Number(textOf(data, 'dayStartsAt')),
    };
    await updateProfile(changed<Profile>(user, profile));
    closeDialog();
  };
  const zones = [...new Set([zoneOfDevice(), 'UTC', ...Intl.supportedValuesOf('timeZone')])];
  return (
    <Form action={save} submit="Save">
      <Field id="settings.name" label="Name" value={user.name} autocomplete="name" required maxlength={200} />
      <Field
        id="settings.timeZone"
        label="Time zone"
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
        hint="0 is midnight, 6 the latest."
        min={0}
        max={6}
        required
      />
    </Form>
  );
}

export const openSettings = (): void =>
  open('Settings', ({ state: { screen } }) => screen && <Settings user={screen.user} />);
