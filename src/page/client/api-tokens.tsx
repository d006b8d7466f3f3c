import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { createApiToken, readApiTokens, revokeApiToken } from './account.js';
import { Button } from './button.js';
import { later } from './days.js';
import { sure } from './dialog.js';
import { Checkbox, Field, Form, textOf } from './form.js';
import { get, set } from './store.js';
import type { ApiToken } from './types.js';

const SCOPES = {
  READ: 'Read everything',
  TASKS: 'Change habits',
  COMPLETIONS: 'Record what is done',
  CHALLENGES: 'Change challenges',
  PROFILE: 'Change the profile',
};

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
      <p>For scripts and buttons.</p>
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
    sure(`Revoke “${name}”? It stops working at once.`, 'Revoke', act, true);
  };
  const about = [
    `…${ending}`,
    scopes.join(', ').toLowerCase(),
    expiresAt ? `until ${dayOf(expiresAt)}` : 'without end',
    lastUsedAt && `last used ${dayOf(lastUsedAt)}`,
  ];
  return (
    <li class="row">
      <span class="title">
        {name} <span class="about">{about.filter(Boolean).join(' · ')}</span>
      </span>
      <Button label={`Revoke ${name}`} act={revoke}>
        Revoke
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
      <label for="new-token">The new token, shown this once:</label>
      <input id="new-token" value={text} readOnly ref={input} />
    </p>
  );
}

const Creation = ({ create }: { create: (data: FormData) => Promise<void> }) => (
  <details>
    <summary>New API token</summary>
    <Form action={create} submit="Create">
      <Field id="token.name" label="What is it for?" required maxlength={200} />
      <Field
        id="token.expiresAt"
        label="It ends on"
        type="date"
        value={later(dayOf(new Date().toISOString()), 90)}
        hint="Empty: never."
      />
      <fieldset>
        <legend>What may it do?</legend>
        {Object.entries(SCOPES).map(([scope, label]) => (
          <Checkbox key={scope} name="scopes" value={scope} label={label} checked={scope === 'READ'} />
        ))}
      </fieldset>
    </Form>
  </details>
);
