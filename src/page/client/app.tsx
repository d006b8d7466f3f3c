import { AccountForm } from './account-form.js';
import { Archived } from './archived.js';
import { Dialog } from './dialog.js';
import { Header } from './header.js';
import { t } from './language.js';
import { Later } from './later.js';
import { Notices, NoticeText, Toast } from './notices.js';
import type { State } from './store.js';
import { Strip } from './strip.js';
import { Today } from './today.js';

export function App({ state }: { state: State }) {
  const { session, screen, dialog, isOnline } = state;
  const isLoggedIn = Boolean(session?.token);
  if (state.link && !state.link.kind.startsWith('login')) {
    return (
      <main>
        <NoticeText notice={state.notice} />
        <Later
          load={async () => (await import('./opened-link.js')).OpenedLink}
          props={{ link: state.link }}
        />
      </main>
    );
  }
  if (!isLoggedIn && !screen) {
    return (
      <main>
        <NoticeText notice={state.notice} />
        <AccountForm state={state} />
        {dialog && <Dialog dialog={dialog} state={state} />}
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
            <div>
              <Strip screen={screen} state={state} />
              <Today screen={screen} state={state} />
            </div>
            <div class="aside">
              <Later
                load={async () => (await import('./challenge-card.js')).ChallengeCard}
                props={{ screen }}
              />
              <Archived tasks={screen.archived} />
            </div>
            <Later load={async () => (await import('./heatmap.js')).Heatmap} props={{ user: screen.user }} />
          </>
        ) : (
          <p class="about">{isOnline ? t.common.loading : t.common.noConnection}</p>
        )}
        <Toast state={state} />
      </main>
      {dialog && <Dialog dialog={dialog} state={state} />}
    </>
  );
}
