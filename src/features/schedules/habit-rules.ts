import { breaksLine, CONTROL, hasAsciiControls, looksBlank } from '../../base/characters.js';
import { isLongerThan, rule, textRule, trimmed, Whole, written } from '../../base/validation.js';
import { scheduleLimits } from './limits.js';
import type { TargetInput } from './schedule.input.js';
import { TargetKind, TargetPeriod } from './target.js';

// The rules for what GraphQL's inputs of tasks and completions have beside those of REST.

/** With three decimals at most, so that sums are exact. */
const amountProblem = (value: unknown, { mayBeZero = false } = {}) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
  if (mayBeZero ? value < 0 : value <= 0)
    return `must be ${mayBeZero ? 'zero or more' : 'greater than zero'}`;
  if (value > scheduleLimits.amount) return `must be at most ${written(scheduleLimits.amount)}`;
  return Number(value.toFixed(3)) === value ? undefined : 'must have at most three decimals';
};

export const Amount = () =>
  rule('amount', { type: 'number', exclusiveMinimum: 0, maximum: scheduleLimits.amount }, (value) =>
    amountProblem(value),
  );

const unitProblem = (text: unknown) => {
  if (typeof text !== 'string' || looksBlank(text)) return 'must have a unit';
  const isShown = text.isWellFormed() && !hasAsciiControls(text) && !text.includes('\0');
  if (!isShown) return 'must have a unit without control characters';
  if (breaksLine(text)) return 'must have a unit of one line that runs one way';
  return isLongerThan(text, scheduleLimits.unit)
    ? `must have a unit of at most ${scheduleLimits.unit} characters`
    : undefined;
};

/** An amount with its unit, its kind and its period. */
export const TargetRule = () =>
  Whole('target', ({ amount, unit, kind, per }: Partial<Record<keyof TargetInput, unknown>>) => {
    const isOneOf = (value: unknown, known: object) => value == null || Object.values(known).includes(value);
    if (!isOneOf(kind, TargetKind)) return `must be one of ${Object.keys(TargetKind).join(', ')}`;
    if (!isOneOf(per, TargetPeriod)) return `must be per ${Object.keys(TargetPeriod).join(', ')}`;
    const problem = amountProblem(amount, { mayBeZero: kind === 'AT_MOST' });
    return problem === undefined ? unitProblem(unit) : `must have an amount, which ${problem}`;
  });

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** In UTF-16 units: no emoji is as long, and a letter with a heap of accents is. */
const LONGEST_GRAPHEME = 32;

/** One character as a person sees it. */
export const Icon = () =>
  textRule('icon', { minLength: 1, maxLength: LONGEST_GRAPHEME }, (text) => {
    const isOne = text.length <= LONGEST_GRAPHEME && [...graphemes.segment(text)].length === 1;
    return isOne && !looksBlank(text) && !CONTROL.test(text) ? undefined : 'must be one character or emoji';
  });

const isReadable = (text: string) =>
  text.isWellFormed() && !CONTROL.test(text) && !breaksLine(text) && !looksBlank(text);

/** The name of a section. */
export const Section = () =>
  textRule(
    'section',
    { minLength: 1, maxLength: scheduleLimits.section },
    (text) => {
      if (!isReadable(trimmed(text))) return `must have 1 to ${scheduleLimits.section} readable characters`;
      return isLongerThan(trimmed(text), scheduleLimits.section)
        ? `must have at most ${scheduleLimits.section} characters`
        : undefined;
    },
    trimmed,
  );

/** In the order given, without regard to case. */
export const Tags = () => {
  const problemOf = (value: unknown) => {
    if (!Array.isArray(value) || !value.every((each) => typeof each === 'string')) return 'must be texts';
    if (value.length > scheduleLimits.tags) return `must be at most ${scheduleLimits.tags}`;
    const texts = value.map(trimmed);
    if (!texts.every(isReadable)) return 'must be readable words';
    if (texts.some((text) => isLongerThan(text, scheduleLimits.tag)))
      return `must have at most ${scheduleLimits.tag} characters each`;
    const isTwice = new Set(texts.map((text) => text.toLowerCase())).size < texts.length;
    return isTwice ? 'must not name one twice' : undefined;
  };
  const schema = {
    type: 'array',
    maxItems: scheduleLimits.tags,
    items: { type: 'string', maxLength: scheduleLimits.tag },
  };
  return rule('tags', schema, problemOf, (tags: string[]) => tags.map(trimmed));
};
