import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { createApiToken, readApiTokens, revokeApiToken } from './account.js';
import { Button } from './button.js';
import { dateInWords, later } from './days.js';
import { Checkbox, Field, Form, textOf } from './form.js';
import { t } from './language.js';
import { get, set } from './store.js';
import { sure } from './sure.js';
import type { ApiToken } from './types.js';

/** For scripts, buttons and automations. */
export function ApiTokens() {
  const [tokens, setTokens] = useState<ApiToken[]>([]);
  const [text, setText] = useState(''); // of the one that was just made: it is shown once
  useEffect(() => void readApiTokens().then(setTokens), []);
  const create = async (data: FormData) => {
    const day = textOf(data, 'expiresAt');
    const expiresAt = day ? `${day}T00:00:00Z` : null;
    const scopes = data.getAll('scopes') as string[];
    setText(await createApiToken({ name: textOf(data, 'name'), scopes, expiresAt }));
    setTokens(await readApiTokens());
  };
  return (
    <>
      <p>{t.tokens.about}</p>
      <ul>
        {tokens.map((each) => (
          <Row key={each.id} token={each} />
        ))}
      </ul>
      {text ? <NewToken text={text} /> : <Creation create={create} />}
    </>
  );
}

function Row({ token }: { token: ApiToken }) {
  const { id, name, scopes, ending, expiresAt, lastUsedAt } = token;
  const revoke = () => {
    const { dialog } = get();
    const act = async () => {
      await revokeApiToken(id);
      set({ dialog });
    };
    sure(t.tokens.revokeSure(name), t.tokens.revoke, act, true);
  };
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

function NewToken({ text }: { text: string }) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    input.current?.focus(); // the button that had it has gone
    input.current?.select();
  }, []);
  return (
    <p class="field">
      <label for="new-token">{t.tokens.shownOnce}</label>
      <input id="new-token" value={text} readOnly ref={input} />
    </p>
  );
}

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
