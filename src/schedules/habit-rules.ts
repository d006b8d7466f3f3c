import { breaksLine, CONTROL, hasAsciiControls, looksBlank } from '../characters.js';
import { isLongerThan, limits, rule, textRule, trimmed, Whole } from '../validation.js';
import type { TargetInput } from './schedule.input.js';
import { TargetKind, TargetPeriod } from './target.js';

// The rules for what GraphQL's inputs of tasks and completions have beside those of REST.

/** More than zero, with three decimals at most, so that sums are exact. */
const amountProblem = (value: unknown) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
  if (value <= 0) return 'must be greater than zero';
  if (value > limits.amount) return `must be at most ${limits.amount}`;
  return Number(value.toFixed(3)) === value ? undefined : 'must have at most three decimals';
};

export const Amount = () =>
  rule('amount', { type: 'number', exclusiveMinimum: 0, maximum: limits.amount }, amountProblem);

const unitProblem = (text: unknown) => {
  if (typeof text !== 'string' || looksBlank(text)) return 'must have a unit';
  const isShown = text.isWellFormed() && !hasAsciiControls(text) && !text.includes('\0');
  if (!isShown) return 'must have a unit without control characters';
  if (breaksLine(text)) return 'must have a unit of one line that runs one way';
  return isLongerThan(text, limits.unit)
    ? `must have a unit of at most ${limits.unit} characters`
    : undefined;
};

/** An amount with its unit, its kind and its period. */
export const TargetRule = () =>
  Whole('target', ({ amount, unit, kind, per }: Partial<Record<keyof TargetInput, unknown>>) => {
    const isOneOf = (value: unknown, known: object) => value == null || Object.values(known).includes(value);
    if (!isOneOf(kind, TargetKind)) return `must be one of ${Object.keys(TargetKind).join(', ')}`;
    if (!isOneOf(per, TargetPeriod)) return `must be per ${Object.keys(TargetPeriod).join(', ')}`;
    const problem = amount === 0 && kind === 'AT_MOST' ? undefined : amountProblem(amount);
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
    { minLength: 1, maxLength: limits.section },
    (text) => {
      if (!isReadable(trimmed(text))) return 'must be readable words';
      return isLongerThan(trimmed(text), limits.section)
        ? `must have at most ${limits.section} characters`
        : undefined;
    },
    trimmed,
  );

/** In the order given, without regard to case. */
export const Tags = () => {
  const problemOf = (value: unknown) => {
    if (!Array.isArray(value) || !value.every((each) => typeof each === 'string')) return 'must be texts';
    if (value.length > limits.tags) return `must be at most ${limits.tags}`;
    const texts = value.map(trimmed);
    if (!texts.every(isReadable)) return 'must be readable words';
    if (texts.some((text) => isLongerThan(text, limits.tag)))
      return `must have at most ${limits.tag} characters each`;
    const isTwice = new Set(texts.map((text) => text.toLowerCase())).size < texts.length;
    return isTwice ? 'must not name one twice' : undefined;
  };
  const schema = { type: 'array', maxItems: limits.tags, items: { type: 'string', maxLength: limits.tag } };
  return rule('tags', schema, problemOf, (tags: string[]) => tags.map(trimmed));
};
