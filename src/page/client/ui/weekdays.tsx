import type { TargetedEvent } from 'preact';
import { useState } from 'preact/hooks';
import type { Language } from '../../../base/languages/language.js';
import type { Weekday } from '../sync/types.js';
import { nameOf, shortName, WEEKDAYS, weekFrom } from '../today/days.js';
import { languageOfDevice, localeOf, t } from './language.js';

interface WeekdaysProps {
  name: string;
  isChosen: (day: Weekday) => boolean;
  weekStartsOn: Weekday;
  /** Whether what stands above it says what it is. */
  isTold?: boolean;
}

/** One of them at least. */
export function Weekdays({ name, isChosen, weekStartsOn, isTold }: WeekdaysProps) {
  const [isEmpty, setEmpty] = useState(false);
  const look = ({ currentTarget }: TargetedEvent<HTMLFieldSetElement>) =>
    setEmpty(!currentTarget.querySelector(':checked'));
  return (
    <fieldset class="weekdays" onChange={look}>
      <legend class={isTold ? 'hidden' : undefined}>{t.form.onWhich}</legend>
      {weekFrom(weekStartsOn).map((day) => (
        <label key={day}>
          <input
            type="checkbox"
            name={name}
            value={day}
            defaultChecked={isChosen(day)}
            required={isEmpty}
            aria-label={nameOf(day)}
          />
          <span aria-hidden="true">{shortName(day).slice(0, 3)}</span>
        </label>
      ))}
      <p role="alert" class="problem">
        {isEmpty && t.form.noDay}
      </p>
    </fieldset>
  );
}

interface Weeks extends Intl.Locale {
  getWeekInfo?: () => { firstDay: number };
}

/** With which day a week begins where a language is spoken: Saturday, Sunday or Monday. */
export function weekStartOf(chosen: Language | null): Weekday {
  const weeks: Weeks = new Intl.Locale(localeOf(chosen ?? languageOfDevice()));
  return WEEKDAYS[(weeks.getWeekInfo?.().firstDay ?? (weeks.language === 'pt' ? 7 : 1)) - 1] ?? 'MONDAY';
}
