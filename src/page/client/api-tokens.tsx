import { later } from './days.js';
import { sure } from './dialog.js';
import { Checkbox, Field, Form, textOf } from './form.js';
import { get, type State, set } from './store.js';
import { createApiToken, revokeApiToken } from './takeout.js';
import type { ApiToken } from './types.js';

const SCOPES = {
  READ: 'Read everything',
  TASKS: 'Change habits',
  COMPLETIONS: 'Record what is done',
  CHALLENGES: 'Change challenges',
  PROFILE: 'Change the profile',
};

/** For scripts, buttons and automations. */
export const ApiTokens = ({ state: { apiTokens, newToken } }: { state: State }) => (
  <>
    <p>For scripts and buttons.</p>
    <ul>
      {apiTokens?.map((each) => (
        <Row key={each.id} token={each} />
      ))}
    </ul>
    {newToken ? <Shown text={newToken} /> : <New />}
  </>
);

function Row({ token }: { token: ApiToken }) {
  const { id, name, scopes, ending, expiresAt, lastUsedAt } = token;
  const revoke = () => {
    const { dialog } = get();
    sure(`Revoke “${name}”? It stops working at once.`, 'Revoke', async () => {
      await revokeApiToken(id);
      set({ dialog, form: null });
    });
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
      <button type="button" class="quiet" aria-label={`Revoke ${name}`} onClick={revoke}>
        Revoke
      </button>
    </li>
  );
}

const dayOf = (instant: string) => instant.slice(0, 10);

const Shown = ({ text }: { text: string }) => (
  <p class="field">
    <label for="new-token">The new token, shown this once:</label>
    <input id="new-token" value={text} readOnly ref={(input: HTMLInputElement) => input.select()} />
  </p>
);

function New() {
  const create = (data: FormData) =>
    createApiToken({
      name: textOf(data, 'name'),
      scopes: data.getAll('scopes') as string[],
      expiresAt: textOf(data, 'expiresAt') ? `${textOf(data, 'expiresAt')}T00:00:00Z` : null,
    });
  return (
    <details>
      <summary>New API token</summary>
      <Form name="token" action={create} submit="Create">
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
}
