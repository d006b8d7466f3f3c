import { useMemo, useState } from 'preact/hooks';
import { Waiting } from './answer.js';
import { Dialog, habitOf } from './dialog.js';
import { Header } from './header.js';
import { t } from './language.js';
import { Later } from './later.js';
import { isArrival } from './link.js';
import { Notices, NoticeText, offline, refusedOf, Toast } from './notices.js';
import type { State } from './store.js';
import { Strip } from './strip.js';
import { Today } from './today.js';
import type { Screen, User } from './types.js';

export function App({ state }: { state: State }) {
  const { session, screen, dialog, beside } = state;
  if (state.link && !isArrival(state.link)) {
    return (
      <main>
        <NoticeText of="notice" state={state} />
        <Later
          load={async () => (await import('./opened-link.js')).OpenedLink}
          props={{ link: state.link }}
        />
      </main>
    );
  }
  if (!session?.token) {
    return (
      <main>
        <NoticeText of="notice" state={state} />
        <SignIn state={state} />
        {dialog && <Dialog dialog={dialog} state={state} />}
      </main>
    );
  }
  const shown = state.held ? state.held.state : state;
  return (
    <>
      <Header state={state} />
      <main>
        <Notices state={shown} />
        {screen &&
          refusedOf(shown).map((taps) => (
            <Later
              key={taps[0]?.key}
              load={async () => (await import('./dialog-views.js')).Question}
              props={{ taps, zone: screen.user }}
            />
          ))}
        {screen ? (
          <>
            <div>
              <Strip screen={screen} state={state} />
              <Today screen={screen} state={state} />
            </div>
            <div class="aside">
              {beside && habitOf(beside, screen) && (
                <Dialog key={beside.address} dialog={beside} state={state} />
              )}
              <Aside screen={screen} />
            </div>
            <Year user={screen.user} />
          </>
        ) : (
          <Waiting />
        )}
        {!state.isOnline && <p class="notice offline">{offline(state.taps)}</p>}
        <Toast state={state} />
      </main>
      {dialog && <Dialog dialog={dialog} state={state} />}
    </>
  );
}

/** Most who open the page are logged in. */
const SignIn = ({ state }: { state: State }) => (
  <Later load={async () => (await import('./account-form.js')).AccountForm} props={{ state }} />
);

/** What is the same is not drawn again. */
const Year = ({ user }: { user: User }) =>
  useMemo(() => <Later load={async () => (await import('./heatmap.js')).Heatmap} props={{ user }} />, [user]);

const Aside = ({ screen }: { screen: Screen }) =>
  useMemo(
    () => (
      <>
        <Challenge screen={screen} />
        {screen.archived.length > 0 && (
          <Later
            load={async () => (await import('./archived.js')).Archived}
            props={{ tasks: screen.archived }}
          />
        )}
      </>
    ),
    [screen],
  );

/** One line, until there is one or one is wanted. */
function Challenge({ screen }: { screen: Screen }) {
  const [isOpen, setOpen] = useState(false);
  const card = (
    <Later load={async () => (await import('./challenge-card.js')).ChallengeCard} props={{ screen }} />
  );
  return (
    <section class="card challenge" aria-label={t.challenge.title}>
      {screen.user.activeChallenge ? (
        <>
          <h2>{t.challenge.title}</h2>
          {card}
        </>
      ) : (
        <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>
            <h2>{t.challenge.take}</h2>
          </summary>
          {isOpen && card}
        </details>
      )}
    </section>
  );
}
