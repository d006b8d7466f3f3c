import { AccountForm } from './account-form.js';
import { AfterPaint } from './after-paint.js';
import { Archived } from './archived.js';
import { ChallengeCard } from './challenge-card.js';
import { Dialog } from './dialog.js';
import { Header } from './header.js';
import { Heatmap } from './heatmap.js';
import { Notices, NoticeText, Toast } from './notices.js';
import type { State } from './store.js';
import { TaskList } from './task-list.js';

export function App({ state }: { state: State }) {
  const { session, screen, dialog, isOnline } = state;
  const isLoggedIn = Boolean(session?.token);
  if (!isLoggedIn && !screen) {
    return (
      <main>
        <NoticeText notice={state.notice} />
        <AccountForm state={state} />
      </main>
    );
  }
  return (
    <>
      <Header state={state} />
      <main>
        <Notices state={state} />
        {!isLoggedIn && <AccountForm state={state} />}
        {screen ? (
          <>
            <TaskList screen={screen} state={state} />
            <ChallengeCard screen={screen} />
            <Archived tasks={screen.archived} />
            <AfterPaint>
              <Heatmap user={screen.user} />
            </AfterPaint>
          </>
        ) : (
          <p class="about">{isOnline ? 'Loading…' : 'There is no connection to the service.'}</p>
        )}
        <Toast state={state} />
      </main>
      {dialog && <Dialog dialog={dialog} state={state} />}
    </>
  );
}
