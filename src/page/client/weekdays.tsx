import { nameOf, shortName, weekFrom } from './days.js';
import { t } from './language.js';
import type { Weekday } from './types.js';

interface WeekdaysProps {
  name: string;
  isChosen: (day: Weekday) => boolean;
  weekStartsOn: Weekday;
  /** Whether what stands above it says what it is. */
  isTold?: boolean;
}

/** Any of them may be chosen. */
export const Weekdays = ({ name, isChosen, weekStartsOn, isTold }: WeekdaysProps) => (
  <fieldset class="weekdays">
    <legend class={isTold ? 'hidden' : undefined}>{t.form.onWhich}</legend>
    {weekFrom(weekStartsOn).map((day) => (
      <label key={day}>
        <input
          type="checkbox"
          name={name}
          value={day}
          defaultChecked={isChosen(day)}
          aria-label={nameOf(day)}
        />
        <span aria-hidden="true">{shortName(day).slice(0, 3)}</span>
      </label>
    ))}
  </fieldset>
);
