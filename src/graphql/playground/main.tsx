import 'graphiql/setup-workers/vite'; // must come first: Monaco looks for its workers while it loads
import 'graphiql/style.css';
import './playground.css';
import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { GraphiQL } from 'graphiql';
import { useEffect, useRef } from 'react';
import { createRoot } from 'react-dom/client';
import { examples } from './examples';
import { fetcher, live } from './fetcher';
import { knownIds, withIds } from './ids';
import { forgetSession, session } from './session';
import { useShown } from './shown';
import { storage } from './storage';

const tabs = examples.map(({ query, variables }) => ({
  query,
  variables: variables ? JSON.stringify(variables, null, 2) : null,
}));

// GraphiQL fills its first editors from storage, not from the default tabs.
if (!storage.getItem('graphiql:tabState') && tabs[0]) {
  storage.setItem('graphiql:query', tabs[0].query);
  storage.setItem('graphiql:variables', tabs[0].variables ?? '');
}

// Enter on a focused box goes into its editor, where Tab indents; without this, a keyboard user could not leave it.
// An Escape that closes a suggestion list or the like does not reach this listener.
document.addEventListener('keydown', ({ key, target }) => {
  if (key !== 'Escape' || !(target instanceof Element)) return;
  target.closest<HTMLElement>('.graphiql-editor, .result-window')?.focus();
});

function SessionBar() {
  const signedIn = useShown(session);
  const status = useRef<HTMLParagraphElement>(null);

  function forget() {
    forgetSession();
    status.current?.focus(); // the button disappears, and the focus would go with it
  }

  return (
    <div className="session-bar">
      <p ref={status} role="status" tabIndex={-1}>
        {signedIn
          ? `Signed in${signedIn.email ? ` as ${signedIn.email}` : ''}`
          : 'Not signed in: run SignUp, or LogIn'}
      </p>
      <LiveStatus />
      {signedIn && (
        <button type="button" onClick={forget}>
          Forget token
        </button>
      )}
    </div>
  );
}

/** Fills ids from earlier answers into the variables of the chosen tab. */
function FilledInIds() {
  const ids = useShown(knownIds);
  const editor = useGraphiQL((state) => state.variableEditor);

  // biome-ignore lint/correctness/useExhaustiveDependencies: new ids are filled in too
  useEffect(() => {
    const fillIn = () => {
      const filled = withIds(editor?.getValue() ?? '');
      if (filled !== undefined) editor?.setValue(filled);
    };
    fillIn();
    // Another tab replaces the whole text, which nobody does by typing. Changed again at once, Monaco would tell its
    // workers of the two changes in the wrong order.
    const watch = editor?.onDidChangeModelContent(({ isFlush }) => isFlush && queueMicrotask(fillIn));
    return () => watch?.dispose();
  }, [ids, editor]);

  return null;
}

/** GraphiQL silently ends a subscription when another tab is chosen. */
function LiveStatus() {
  const state = useShown(live);
  const words = { running: 'Subscription running', ended: 'Subscription ended: run it again to go on' };
  return <p role="status">{state && words[state]}</p>;
}

/** When the system switches between dark and light, GraphiQL's frame follows but its editors do not. */
function SystemTheme() {
  const { setTheme } = useGraphiQLActions();
  const theme = useGraphiQL((state) => state.theme);

  useEffect(() => {
    const system = matchMedia('(prefers-color-scheme: dark)');
    const follow = () => setTheme(theme);
    system.addEventListener('change', follow);
    return () => system.removeEventListener('change', follow);
  }, [setTheme, theme]);

  return null;
}

const root = document.getElementById('playground');
if (root) {
  createRoot(root).render(
    <GraphiQL fetcher={fetcher} storage={storage} defaultTabs={tabs} defaultEditorToolsVisibility>
      <GraphiQL.Logo>Steady</GraphiQL.Logo>
      <GraphiQL.Footer>
        <SessionBar />
      </GraphiQL.Footer>
      <FilledInIds />
      <SystemTheme />
    </GraphiQL>,
  );
}
