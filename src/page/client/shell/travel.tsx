import { zoneInWords } from '../account/account.js';
import { updateProfile } from '../sync/changes.js';
import { set } from '../sync/store.js';
import type { User } from '../sync/types.js';
import { Button } from '../ui/button.js';
import { t } from '../ui/language.js';
import { stayElsewhere } from './session.js';

/** This device is in another zone than the account. */
export const Travel = ({ zone, user }: { zone: string; user: User }) => (
  <div class="notice good">
    <p>{t.travel.seems(zoneInWords(zone))}</p>
    <Button act={() => updateProfile({ timeZone: zone })}>{t.travel.follow}</Button>
    <Button
      act={() => {
        stayElsewhere(zone);
        set({});
      }}
    >
      {t.travel.stay(zoneInWords(user.timeZone))}
    </Button>
  </div>
);
