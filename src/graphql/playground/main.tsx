import 'graphiql/setup-workers/vite'; // must come first: Monaco looks for its workers while it loads
import 'graphiql/style.css';
import './playground.css';
import { createGraphiQLFetcher, type Storage } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import { createRoot } from 'react-dom/client';
import { documents } from './tabs';

const headers = JSON.stringify({ Authorization: 'Bearer TOKEN' }, null, 2);
const tabs = documents.map((query) => ({ query, headers }));

const { origin, pathname } = location;
const fetcher = createGraphiQLFetcher({
  url: pathname,
  subscriptionUrl: origin.replace('http', 'ws') + pathname,
});

// Passwords and tokens as they were typed: nothing outlives the browser tab, and services below several public paths
// of an origin do not see each other's.
const prefix = `steady${pathname}:`;
const storage: Storage = {
  getItem: (key) => sessionStorage.getItem(prefix + key),
  setItem: (key, value) => sessionStorage.setItem(prefix + key, value),
  removeItem: (key) => sessionStorage.removeItem(prefix + key),
  clear: () => sessionStorage.clear(),
  length: 0, // asked for only where something could not be kept
};

// Enter on a focused box goes into its editor, where Tab indents; without this, a keyboard user could not leave it.
// An Escape that closes a suggestion list or the like does not reach this listener.
document.addEventListener('keydown', ({ key, target }) => {
  if (key !== 'Escape' || !(target instanceof Element)) return;
  target.closest<HTMLElement>('.graphiql-editor, .result-window')?.focus();
});

const root = document.getElementById('playground');
if (root) {
  createRoot(root).render(
    <GraphiQL
      {...{ fetcher, storage, defaultTabs: tabs, defaultHeaders: headers, shouldPersistHeaders: true }}
      defaultEditorToolsVisibility="headers"
    >
      <GraphiQL.Logo>Steady</GraphiQL.Logo>
    </GraphiQL>,
  );
}
