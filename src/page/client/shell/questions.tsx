import { dayAt, type Zone } from '../../../../packages/client/src/day.js';
import { forgetTap, waitingTaps } from '../sync/storage.js';
import { changed, send } from '../sync/taps.js';
import type { Tap } from '../sync/types.js';
import { dateInWords, timeIn } from '../today/days.js';
import { Button } from '../ui/button.js';
import { t } from '../ui/language.js';
import { momentOf } from './clock.js';
import { isLate, refusalOf } from './notices.js';

interface QuestionProps {
  taps: readonly Tap[];
  zone: Zone;
}

/** What became of taps that were refused: all that are too late are asked about at once. */
export const Questions = ({ taps, zone }: QuestionProps) => (
  <>
    {refusedOf(taps).map((each) => (
      <Question key={each[0]?.key} taps={each} zone={zone} />
    ))}
  </>
);

function refusedOf(taps: readonly Tap[]): Tap[][] {
  const refused = taps.filter(({ refusal }) => refusal);
  const late = refused.filter(isLate);
  return [...(late[0] ? [late] : []), ...refused.flatMap((tap) => (isLate(tap) ? [] : [[tap]]))];
}

function Question({ taps, zone }: QuestionProps) {
  const [tap] = taps;
  if (!tap) return null;
  const title = taps[1] ? t.notices.taps(taps.length) : tap.title;
  return (
    <fieldset class="notice">
      <legend class="hidden">{t.notices.refusedOf(title)}</legend>
      {taps.map((each) => {
        const at = momentOf(each.at);
        return (
          <p key={each.key}>
            <strong>{each.title}</strong>, {dateInWords(dayAt(at, zone))}, {timeIn(at, zone.timeZone)}
          </p>
        );
      })}
      <p>{refusalOf(tap)}</p>
      <div class="buttons">
        {isLate(tap) ? (
          <Button kind="primary" act={() => sendAgain(taps, { countsOnArrival: true })}>
            {t.notices.countToday(taps.length)}
          </Button>
        ) : (
          <Button act={() => sendAgain(taps)}>{t.notices.tryAgain}</Button>
        )}
        <Button act={() => drop(taps)}>{t.notices.forget(taps.length)}</Button>
      </div>
    </fieldset>
  );
}

/**
 * What was refused may have been mended meanwhile: a habit that is put away can be brought back. What was too long ago
 * is counted for today, because the person says so.
 */
async function sendAgain(taps: readonly Tap[], today: Partial<Tap> = {}): Promise<void> {
  for (const { key } of taps) await waitingTaps.change(key, (kept) => ({ ...kept, refusal: null, ...today }));
  await changed();
  await send();
}

async function drop(taps: readonly Tap[]): Promise<void> {
  for (const { key } of taps) await forgetTap(key);
  await changed();
}
