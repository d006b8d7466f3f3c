import { hasHidden, hasHiddenInName, looksBlank } from '../../base/characters.js';
import { between, isLongerThan, textRule, tooLong, trimmed, whole } from '../../base/validation.js';
import { accountLimits } from './limits.js';

const NOTHING_HIDDEN = 'must not contain control or invisible characters';

/** The name of a person. */
export const Name = ({ max }: { max: number }) =>
  textRule('name', { minLength: 1, maxLength: max }, (text) => {
    if (looksBlank(text)) return 'must not be blank';
    return tooLong(text, max) ?? (hasHiddenInName(text) ? NOTHING_HIDDEN : undefined);
  });

/** A new e-mail address, kept as written. */
export const Email = () => {
  const problemOf = (text: string) => {
    const address = trimmed(text);
    const isAddress = /^[^\s@]+@[^\s@]+$/.test(address);
    const problem =
      tooLong(address, accountLimits.email) ?? (isAddress ? undefined : 'must be an e-mail address');
    return problem ?? (hasHidden(address) ? NOTHING_HIDDEN : undefined);
  };
  return textRule('email', { format: 'email', maxLength: accountLimits.email }, problemOf, trimmed);
};

/** Folds ASCII letters only, as the unique index does. */
export const folded = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** The e-mail address of an account to look up, in any case. */
export const KnownEmail = () =>
  textRule(
    'knownEmail',
    {},
    () => undefined,
    (text) => folded(trimmed(text)),
  );

export const Password = () =>
  textRule('password', { format: 'password', minLength: accountLimits.passwordMin }, (text) =>
    isLongerThan(text, accountLimits.passwordMin - 1)
      ? undefined
      : `must be at least ${accountLimits.passwordMin} characters long`,
  );

export const WebAddress = ({ max }: { max: number }) =>
  textRule('webAddress', { format: 'uri', maxLength: max }, (text) => {
    const isWebAddress = /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
    const problem = tooLong(text, max) ?? (isWebAddress ? undefined : 'must be an http or https URL');
    return problem ?? (hasHiddenInName(text) ? NOTHING_HIDDEN : undefined);
  });

/** The hour of the wall clock at which a user's day begins. */
export const StartOfDay = () =>
  whole('startOfDay', accountLimits.dayStartsAt, `a whole hour ${between(accountLimits.dayStartsAt)}`);
