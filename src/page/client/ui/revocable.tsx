import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { dayAt, type Zone } from '../../../../packages/client/src/day.js';
import { dateInWords } from '../today/days.js';
import { useAnswer, Waiting } from './answer.js';
import { Button } from './button.js';
import { Form } from './form.js';
import { words } from './later-words.js';
import { QrCode } from './qr-code.js';
import { ShownOnce } from './shown-once.js';
import { sure } from './sure.js';

interface Revocable {
  id: string;
  name: string;
}

interface RevocablesProps<One extends Revocable> {
  about: string;
  read: () => Promise<One[]>;
  /** What is said of each beside its name; nothing where it does not apply. */
  details: (one: One) => (string | false | null)[];
  /** What else can be done with one. */
  beside?: (one: One, readAgain: () => Promise<void>) => ComponentChildren;
  /** How the end of one is called, if not revoked. */
  ending?: { word: string; of: (name: string) => string; sure: (name: string) => string };
  revoke: (id: string) => Promise<unknown>;
  /** Answers the text that is shown once. */
  create: (data: FormData) => Promise<string>;
  submit: string;
  /** The name of the text as a QR code, if it is an address to be read by a phone. */
  qrCode?: string;
  /** The fields of a new one. */
  children: ComponentChildren;
}

/** What others hold to get in, such as tokens and secret addresses: its text is shown once, and it can be revoked. */
export function Revocables<One extends Revocable>(props: RevocablesProps<One>) {
  const { about, read, details, beside, revoke, create, submit, qrCode, children } = props;
  const { ending = { word: words.revoke, of: words.revokeOf, sure: words.revokeSure } } = props;
  const [all, readAgain] = useAnswer(read);
  const [text, setText] = useState('');
  if (!all) return <Waiting />;
  const act = async (data: FormData) => {
    setText(await create(data));
    await readAgain();
  };
  const askToRevoke = ({ id, name }: One) => sure(ending.sure(name), ending.word, () => revoke(id), true);
  return (
    <>
      <p class="about">{about}</p>
      <ul>
        {all.map((one) => (
          <li key={one.id} class="row">
            <span class="title">
              {one.name} <span class="about">{details(one).filter(Boolean).join(' · ')}</span>
            </span>
            {beside?.(one, readAgain)}
            <Button label={ending.of(one.name)} act={() => askToRevoke(one)}>
              {ending.word}
            </Button>
          </li>
        ))}
      </ul>
      {text ? (
        <>
          <ShownOnce label={words.shownOnce} text={text} />
          {qrCode && <QrCode text={text} label={qrCode} />}
        </>
      ) : (
        <Form action={act} submit={submit}>
          {children}
        </Form>
      )}
    </>
  );
}

export const lastUsed = (instant: string | null, zone: Zone) =>
  instant && words.lastUsed(dateInWords(dayAt(Date.parse(instant), zone)));
