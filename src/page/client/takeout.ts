import { ask, call } from './ask.js';
import { API_TOKENS, CREATE_API_TOKEN, REVOKE_API_TOKEN } from './documents.js';
import { refresh } from './screen.js';
import { set } from './store.js';
import type { ApiToken } from './types.js';
import { counted } from './words.js';

export async function readApiTokens(): Promise<void> {
  const { apiTokens } = await ask<{ apiTokens: ApiToken[] }>(API_TOKENS, {});
  set({ apiTokens });
}

export interface NewApiToken {
  name: string;
  scopes: string[];
  /** Null: never. */
  expiresAt: string | null;
}

export async function createApiToken(input: NewApiToken): Promise<void> {
  const { createApiToken } = await ask<{ createApiToken: { token: string } }>(CREATE_API_TOKEN, { input });
  set({ newToken: createApiToken.token });
  await readApiTokens();
}

export async function revokeApiToken(id: string): Promise<void> {
  await ask(REVOKE_API_TOKEN, { id });
  await readApiTokens();
}

/** By a request with the token in its header: an address would be kept in histories and logs. */
export async function takeAlong(file: string): Promise<void> {
  const response = await call(`account/${file}`);
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = name ?? file;
  link.click();
  setTimeout(URL.revokeObjectURL, 60_000, link.href);
}

/** What was taken along, here or elsewhere. */
export async function bring(file: File): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await call('account/import', { method: 'POST', headers, body: file });
  const { tasks, completions } = await response.json();
  set({ problem: `Imported: ${counted(tasks, 'habit')}, done ${counted(completions, 'time')}.` });
  await refresh();
}
