import { zoneOfDevice } from './account.js';
import { Button } from './button.js';
import { changed, endPause, type Profile, updateProfile } from './changes.js';
import { later, nameOf, spanOf } from './days.js';
import { closeDialog, open } from './dialog.js';
import { Field, Form, Select, textOf } from './form.js';
import { PauseForm } from './menu.js';
import type { State } from './store.js';
import type { User, Weekday } from './types.js';
import { openAccount, openKeys } from './views.js';

export function Settings({ state: { screen } }: { state: State }) {
  if (!screen) return null;
  return (
    <>
      <div class="buttons">
        <Button act={openAccount}>Account</Button>
        <Button kind="quiet for-keyboards" act={openKeys}>
          Shortcuts
        </Button>
      </div>
      <ProfileForm user={screen.user} />
      <h3>Vacation</h3>
      <Vacation user={screen.user} />
    </>
  );
}

function ProfileForm({ user }: { user: User }) {
  const save = async (data: FormData) => {
    const profile = {
      name: textOf(data, 'name'),
      timeZone: textOf(data, 'timeZone'),
      dayStartsAt: Number(textOf(data, 'dayStartsAt')),
      weekStartsOn: textOf(data, 'weekStartsOn') as Weekday,
    };
    await updateProfile(changed<Profile>(user, profile));
    closeDialog();
  };
  const zones = [...new Set([user.timeZone, 'UTC', ...Intl.supportedValuesOf('timeZone')])].sort();
  const hours = Array.from({ length: 7 }, (_, hour) => [hour, `${hour}:00`]);
  const weekdays = (['MONDAY', 'SUNDAY', 'SATURDAY'] as const).map((day) => [day, nameOf(day)]);
  return (
    <Form action={save} submit="Save">
      <Field id="settings.name" label="Name" value={user.name} autocomplete="name" required maxlength={200} />
      <Select
        id="settings.timeZone"
        label="Time zone"
        value={user.timeZone}
        options={Object.fromEntries(zones.map((zone) => [zone, zone.replaceAll('_', ' ')]))}
        hint={`This device is in ${zoneOfDevice()}.`}
      />
      <Select
        id="settings.dayStartsAt"
        label="My day begins at"
        value={user.dayStartsAt}
        options={Object.fromEntries(hours)}
        hint="What is done before counts for the day before."
      />
      <Select
        id="settings.weekStartsOn"
        label="My week begins on"
        value={user.weekStartsOn}
        options={Object.fromEntries(weekdays)}
      />
    </Form>
  );
}

/** Pauses of everything. */
function Vacation({ user: { pauses, today } }: { user: User }) {
  const coming = pauses.filter(({ until }) => until === null || until >= today);
  return (
    <>
      <ul>
        {coming.map((each) => (
          <li key={each.id} class="row">
            <span class="title">Everything rests {spanOf(each)}</span>
            <Button act={() => endPause(each.id, later(each.from < today ? today : each.from, -1))}>
              {each.from < today ? 'End it' : 'Cancel'}
            </Button>
          </li>
        ))}
      </ul>
      <Button act={() => open('Vacation', () => <PauseForm taskId={null} today={today} />)}>
        Plan a vacation
      </Button>
    </>
  );
}
