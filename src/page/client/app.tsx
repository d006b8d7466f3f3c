import { AccountForm } from './account-form.js';
import { ChallengeCard } from './challenge-card.js';
import { Dialog } from './dialog.js';
import { Header } from './header.js';
import { Heatmap } from './heatmap-table.js';
import { Notices, Problem } from './notices.js';
import { PutAway } from './put-away.js';
import type { State } from './store.js';
import { TaskList } from './task-list.js';
import { ToastBar } from './toast-bar.js';

export function App({ state }: { state: State }) {
  const { session, screen, dialog, toast, isOnline } = state;
  if (!session?.token && !screen) {
    return (
      <main>
        <Problem problem={state.problem} />
        <AccountForm state={state} />
      </main>
    );
  }
  return (
    <>
      <Header state={state} />
      <main>
        <Notices state={state} />
        {!session?.token && <AccountForm state={state} />}
        {screen ? (
          <>
            <TaskList screen={screen} state={state} />
            <ChallengeCard screen={screen} />
            <PutAway tasks={screen.putAway} />
            {state.isListDrawn && <Heatmap user={screen.user} day={state.day} />}
          </>
        ) : (
          <p class="about">{isOnline ? 'Loading…' : 'There is no connection to the service.'}</p>
        )}
        {toast && <ToastBar toast={toast} state={state} />}
      </main>
      {dialog && <Dialog dialog={dialog} state={state} />}
    </>
  );
}
