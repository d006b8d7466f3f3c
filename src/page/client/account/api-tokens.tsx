import { ask } from '../sync/api.js';
import type { State } from '../sync/store.js';
import { dateInWords, later } from '../today/days.js';
import { Checkbox, Field, textOf } from '../ui/form.js';
import { t } from '../ui/language.js';
import { words } from '../ui/later-words.js';
import { lastUsed, Revocables } from '../ui/revocable.js';
import { API_TOKENS, CREATE_API_TOKEN, DELETE_API_TOKEN } from './api-tokens-documents.js';

interface ApiToken {
  id: string;
  name: string;
  scopes: (keyof typeof words.tokens.scopes)[];
  ending: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
}

const readTokens = async () => (await ask<{ apiTokens: ApiToken[] }>(API_TOKENS, {})).apiTokens;

async function createToken(data: FormData): Promise<string> {
  const day = textOf(data, 'expiresAt');
  const expiresAt = day ? `${day}T00:00:00Z` : null;
  const input = { name: textOf(data, 'name'), scopes: data.getAll('scopes'), expiresAt };
  type Created = { createApiToken: { token: string } };
  return (await ask<Created>(CREATE_API_TOKEN, { input })).createApiToken.token;
}

/** For scripts, buttons and automations. */
export function ApiTokens({ state: { screen } }: { state: State }) {
  if (!screen) return null;
  const { user } = screen;
  const details = ({ ending, scopes, expiresAt, lastUsedAt }: ApiToken) => [
    `…${ending}`,
    t.listed(scopes.map((scope) => words.tokens.scopes[scope] ?? scope)),
    expiresAt ? words.tokens.until(dateInWords(expiresAt.slice(0, 10))) : words.tokens.withoutEnd,
    lastUsed(lastUsedAt, user),
  ];
  return (
    <Revocables
      about={words.tokens.about}
      read={readTokens}
      details={details}
      revoke={(id) => ask(DELETE_API_TOKEN, { id })}
      create={createToken}
      submit={words.tokens.create}
    >
      <Field id="token.name" label={words.tokens.what} required maxlength={200} />
      <Field
        id="token.expiresAt"
        label={words.tokens.endsOn}
        type="date"
        value={later(user.today, 90)}
        hint={words.tokens.never}
      />
      <fieldset>
        <legend>{words.tokens.may}</legend>
        {Object.entries(words.tokens.scopes).map(([scope, label]) => (
          <Checkbox key={scope} name="scopes" value={scope} label={label} checked={scope === 'READ'} />
        ))}
      </fieldset>
    </Revocables>
  );
}
