import { describe, expect, it } from 'vitest';
import { Refusal } from '../../src/base/errors.js';
import { inputFrom } from '../../src/base/validation.js';
import { SignUpInput, UpdateProfileInput } from '../../src/features/account/account.input.js';
import { CreateTaskInput } from '../../src/features/habits/task.input.js';

/** All characters that a property holds for, but the halves of surrogate pairs. */
const having = (property: string) => {
  const pattern = new RegExp(`^${property}$`, 'v');
  return Array.from({ length: 0x10ffff }, (_, at) => at + 1)
    .map((code) => (code >= 0xd800 && code <= 0xdfff ? '' : String.fromCodePoint(code)))
    .filter((character) => pattern.test(character));
};

const named = (characters: string[]) =>
  characters.map((each) => `U+${each.codePointAt(0)?.toString(16).toUpperCase()}`);

/** The message of validation about a value, if there is one. */
function faultIn(type: new () => object, values: object): string | undefined {
  try {
    inputFrom(type, values);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

const account = { name: 'Ana', email: 'ana@example.com', password: 'secret1' };
const ofEmail = (email: string) => faultIn(SignUpInput, { ...account, email });
const ofName = (name: string) => faultIn(SignUpInput, { ...account, name });
const ofTitle = (title: string) => faultIn(CreateTaskInput, { title });

const accepted = (characters: string[], faultOf: (character: string) => string | undefined) =>
  named(characters.filter((each) => faultOf(each) === undefined));

const HIDDEN = 'Name must not contain control or invisible characters';

it('Validation takes the names that it knows, however many others there are, and whatever they mean to JavaScript', () => {
  const more = '"id":"x","points":9,"__proto__":{"points":9},"constructor":{"prototype":{"points":9}}';
  const sent = JSON.parse(`${JSON.stringify(account).slice(0, -1)},${more}}`);
  const ownKeys = () => expect.unreachable('All names are listed');
  const taken = inputFrom(SignUpInput, new Proxy(sent, { ownKeys }));
  expect(taken).toEqual(account);
  expect(taken).not.toHaveProperty('points');
});

it('An e-mail address must not contain any control, invisible or white character, save around it, in whatever script', () => {
  const hidden = '[\\p{Cc}\\p{Cf}\\p{Bidi_Control}\\p{Default_Ignorable_Code_Point}\\p{White_Space}]';
  for (const place of [(each: string) => `a${each}na@example.com`, (each: string) => `ana@${each}x.org`])
    expect(accepted(having(hidden), (each) => ofEmail(place(each)))).toEqual([]);
  for (const email of ['ünï@münchen.example', '用户@例子.广告', 'אנה@דוגמה.ישראל', ' ana@x\r\n'])
    expect(ofEmail(email), email).toBeUndefined();
});

/** What scripts and emoji need, beyond letters: each has a place of its own. */
const needed = /[\p{Mn}\u{200C}\u{200D}\u{200E}\u{200F}\u{61C}\t\n\v\f\r]/v;

describe('A name', () => {
  it('must not contain any control or invisible character, save what scripts need, and joiners only where they join', () => {
    const hidden = having('[\\p{Cc}\\p{Bidi_Control}\\p{Default_Ignorable_Code_Point}]');
    const characters = hidden.filter((each) => !needed.test(each));
    expect(accepted(characters, (each) => ofName(`A${each}na`))).toEqual([]);
    expect(faultIn(UpdateProfileInput, { name: `${characters[0]}Ana` })).toBe(HIDDEN);
    for (const name of ['\u200dAna', 'Ana\u200c', 'Ana \u200dMaria', 'A\u200d\u200dna', 'Ana\u200d Maria'])
      expect(ofName(name), JSON.stringify(name)).toBe(HIDDEN);
  });

  it.each([
    ['Persian, with a joiner that keeps letters apart', 'نرگس\u200cسادات'],
    ['Sinhala, with a joiner that holds letters together', 'ශ්\u200dරී'],
    ['Malayalam in its older spelling, with a joiner at the end of a word', 'മോഹന്\u200d ദാസ്'],
    ['Hebrew and Latin, with marks of direction', 'אנה\u200f (Ana)\u200e!'],
    ['a family, a heart on fire and flags', '👩‍👩‍👧 ❤️‍🔥 🏳️‍🌈 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇧🇷 1️⃣'],
    ['marks upon marks', 'Z\u0351\u036b\u034f\u0343a\u0327'],
    ['several lines and tabs', 'Ana\r\n\tMaria\n'],
  ])('may be %s', (_what, name) => {
    expect(ofName(name)).toBeUndefined();
  });
});

it('A title must not contain ASCII control characters, save line breaks and tabs, and may contain all others, but not alone', () => {
  const controls = having('[\\p{Cc}&&\\p{ASCII}]');
  expect(accepted(controls, (each) => ofTitle(`Swim${each}`))).toEqual(named([...'\t\n\v\f\r']));
  expect(ofTitle('\u001b[2JSwim')).toBe('Title must not contain control characters');
  const others = having('[\\p{Cf}\\p{Default_Ignorable_Code_Point}\\u{80}-\\u{9F}]');
  expect(accepted(others, (each) => ofTitle(`Swim${each}`))).toEqual(named(others));
  for (const each of ['\u200b', '\u2800', '\ufeff']) expect(ofTitle(each)).toBe('Title must not be blank');
});
