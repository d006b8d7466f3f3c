import { useState } from 'preact/hooks';
import type { ApiToken } from '../sync/types.js';
import { dateInWords, later } from '../today/days.js';
import { useAnswer } from '../ui/answer.js';
import { Button } from '../ui/button.js';
import { Checkbox, Field, Form, textOf } from '../ui/form.js';
import { t } from '../ui/language.js';
import { ShownOnce } from '../ui/shown-once.js';
import { sure } from '../ui/sure.js';
import { createApiToken, deleteApiToken, readApiTokens } from './account.js';

/** For scripts, buttons and automations. */
export function ApiTokens() {
  const [tokens, readAgain] = useAnswer(readApiTokens);
  const [text, setText] = useState(''); // of the one that was just made: it is shown once
  const create = async (data: FormData) => {
    const day = textOf(data, 'expiresAt');
    const expiresAt = day ? `${day}T00:00:00Z` : null;
    const scopes = data.getAll('scopes') as string[];
    setText(await createApiToken({ name: textOf(data, 'name'), scopes, expiresAt }));
    await readAgain();
  };
  return (
    <>
      <p>{t.tokens.about}</p>
      <ul>
        {tokens?.map((each) => (
          <Row key={each.id} token={each} />
        ))}
      </ul>
      {text ? <ShownOnce label={t.tokens.shownOnce} text={text} /> : <Creation create={create} />}
    </>
  );
}

function Row({ token }: { token: ApiToken }) {
  const { id, name, scopes, ending, expiresAt, lastUsedAt } = token;
  const revoke = () => sure(t.tokens.revokeSure(name), t.tokens.revoke, () => deleteApiToken(id), true);
  const about = [
    `…${ending}`,
    t.listed(scopes.map((scope) => t.tokens.scopes[scope as keyof typeof t.tokens.scopes] ?? scope)),
    expiresAt ? t.tokens.until(dateInWords(dayOf(expiresAt))) : t.tokens.withoutEnd,
    lastUsedAt && t.tokens.lastUsed(dateInWords(dayOf(lastUsedAt))),
  ];
  return (
    <li class="row">
      <span class="title">
        {name} <span class="about">{about.filter(Boolean).join(' · ')}</span>
      </span>
      <Button label={t.tokens.revokeOf(name)} act={revoke}>
        {t.tokens.revoke}
      </Button>
    </li>
  );
}

const dayOf = (instant: string) => instant.slice(0, 10);

const Creation = ({ create }: { create: (data: FormData) => Promise<void> }) => (
  <details>
    <summary>{t.tokens.create}</summary>
    <Form action={create} submit={t.tokens.creation}>
      <Field id="token.name" label={t.tokens.what} required maxlength={200} />
      <Field
        id="token.expiresAt"
        label={t.tokens.endsOn}
        type="date"
        value={later(dayOf(new Date().toISOString()), 90)}
        hint={t.tokens.never}
      />
      <fieldset>
        <legend>{t.tokens.may}</legend>
        {Object.entries(t.tokens.scopes).map(([scope, label]) => (
          <Checkbox key={scope} name="scopes" value={scope} label={label} checked={scope === 'READ'} />
        ))}
      </fieldset>
    </Form>
  </details>
);
