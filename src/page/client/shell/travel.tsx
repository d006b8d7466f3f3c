import { zoneInWords } from '../account/account.js';
import { updateProfile } from '../sync/changes.js';
import { set } from '../sync/store.js';
import type { User } from '../sync/types.js';
import { Button } from '../ui/button.js';
import { t } from '../ui/language.js';
import { stayElsewhere } from './session.js';

/** `Europe/Paris` is named by its city. */
const cityOf = (zone: string): string => zoneInWords(zone).split('/').at(-1) ?? zone;

/** This device is in another zone than the account. */
export const Travel = ({ zone, user }: { zone: string; user: User }) => (
  <div class="notice good">
    <p>{t.travel.seems(cityOf(zone))}</p>
    <Button act={() => updateProfile({ timeZone: zone })}>{t.travel.follow}</Button>
    <Button
      act={() => {
        stayElsewhere(zone);
        set({});
      }}
    >
      {t.travel.stay(cityOf(user.timeZone))}
    </Button>
  </div>
);
