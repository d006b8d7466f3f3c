import type { Language } from '../../../base/languages/language.js';
import { PauseForm } from '../habit/pause-form.js';
import { keepSetting, setting } from '../shell/session.js';
import { openAccount, openKeys, openReminders } from '../shell/views.js';
import { changed, endPause, type Profile, updateProfile } from '../sync/changes.js';
import type { State } from '../sync/store.js';
import type { User, Weekday } from '../sync/types.js';
import { chooseClock, nameOf, spanOf, timeIn } from '../today/days.js';
import { Button } from '../ui/button.js';
import { open, thenClose } from '../ui/dialog.js';
import { Field, Form, Select, textOf } from '../ui/form.js';
import { isLanguage, LANGUAGES, languageOfDevice, t } from '../ui/language.js';
import { wear } from '../ui/theme.js';
import { weekStartOf } from '../ui/weekdays.js';
import { zoneInWords, zoneOfDevice } from './account.js';

export function Settings({ state: { screen } }: { state: State }) {
  if (!screen) return null;
  return (
    <>
      <div class="buttons">
        <Button act={openAccount}>{t.account.title}</Button>
        {screen.canRemind && <Button act={openReminders}>{t.settings.reminders}</Button>}
        <Button kind="quiet for-keyboards" act={openKeys}>
          {t.keys.title}
        </Button>
      </div>
      <ProfileForm user={screen.user} />
      <h3>{t.settings.vacation}</h3>
      <Vacation user={screen.user} />
    </>
  );
}

function ProfileForm({ user }: { user: User }) {
  const zones = [...new Set([user.timeZone, 'UTC', ...Intl.supportedValuesOf('timeZone')])].sort();
  const hours = Array.from({ length: 7 }, (_, hour) => [hour, timeIn(hour * 3_600_000, 'UTC')]);
  const weekdays = (['MONDAY', 'SUNDAY', 'SATURDAY'] as const).map((day) => [day, nameOf(day)]);
  const { language, ...hourly } = t.settings.clocks;
  const clocks: [string, string][] = [
    ['', language],
    ['24', hourly[24]],
    ['12', hourly[12]],
  ];
  return (
    <Form action={(data) => save(data, user)} submit={t.common.save}>
      <Field
        id="settings.name"
        label={t.signIn.name}
        value={user.name}
        autocomplete="name"
        required
        maxlength={200}
      />
      <Select
        id="settings.language"
        label={t.settings.language}
        value={user.language ?? ''}
        options={{ '': t.settings.ofDevice(LANGUAGES[languageOfDevice()]), ...LANGUAGES }}
      />
      <Select
        id="settings.timeZone"
        label={t.settings.timeZone}
        value={user.timeZone}
        options={Object.fromEntries(zones.map((zone) => [zone, zoneInWords(zone)]))}
        hint={t.settings.deviceIn(zoneInWords(zoneOfDevice()))}
      />
      <Select
        id="settings.dayStartsAt"
        label={t.settings.dayBegins}
        value={user.dayStartsAt}
        options={Object.fromEntries(hours)}
        hint={t.settings.dayBeginsHint}
      />
      <Select
        id="settings.weekStartsOn"
        label={t.settings.weekBegins}
        value={user.weekStartsOn}
        options={Object.fromEntries(weekdays)}
      />
      <Select id="settings.clock" label={t.settings.clock} value={setting('clock')} options={clocks} />
      <Select
        id="settings.theme"
        label={t.settings.theme}
        value={setting('theme')}
        options={t.settings.themes}
      />
    </Form>
  );
}

async function save(data: FormData, user: User): Promise<void> {
  const chosen = textOf(data, 'language');
  const language = isLanguage(chosen) ? chosen : null;
  const weekStartsOn = textOf(data, 'weekStartsOn') as Weekday;
  const profile = {
    name: textOf(data, 'name'),
    timeZone: textOf(data, 'timeZone'),
    dayStartsAt: Number(textOf(data, 'dayStartsAt')),
    weekStartsOn: weekStartsOn === user.weekStartsOn ? weekIn(language, user) : weekStartsOn,
    language,
  };
  keepSetting('clock', textOf(data, 'clock'));
  chooseClock(textOf(data, 'clock'));
  keepSetting('theme', textOf(data, 'theme'));
  wear(setting('theme'));
  await thenClose(() => updateProfile(changed<Profile>(user, profile)));
}

/** The week follows the language until another first day is chosen. */
function weekIn(language: Language | null, user: User): Weekday {
  const isOfLanguage = user.weekStartsOn === weekStartOf(user.language);
  return isOfLanguage ? weekStartOf(language) : user.weekStartsOn;
}

/** Pauses of everything. */
function Vacation({ user: { pauses, today } }: { user: User }) {
  const coming = pauses.filter(({ until }) => until === null || until >= today);
  return (
    <>
      <ul>
        {coming.map((each) => (
          <li key={each.id} class="row">
            <span class="title">{t.settings.rests(spanOf(each))}</span>
            <Button act={() => endPause(each, today)}>
              {each.from < today ? t.common.endIt : t.settings.cancel}
            </Button>
          </li>
        ))}
      </ul>
      <Button act={() => open(t.settings.vacation, () => <PauseForm taskId={null} today={today} />)}>
        {t.settings.plan}
      </Button>
    </>
  );
}
