import { useMemo, useState } from 'preact/hooks';
import { Header } from './shell/header.js';
import { Later } from './shell/later.js';
import { isArrival } from './shell/link.js';
import { Notices, NoticeText, Said } from './shell/notices.js';
import { setting, staysElsewhere } from './shell/session.js';
import type { State } from './sync/store.js';
import type { Screen, User } from './sync/types.js';
import { isSameClock } from './today/days.js';
import { Strip } from './today/strip.js';
import { Today } from './today/today.js';
import { Waiting } from './ui/answer.js';
import { Dialog, desk, habitOf } from './ui/dialog.js';
import { t } from './ui/language.js';

export function App({ state }: { state: State }) {
  const { session, screen, dialog, beside } = state;
  if (state.link && !isArrival(state.link)) {
    return (
      <main>
        <NoticeText of="notice" state={state} />
        <Later
          load={async () => (await import('./account/opened-link.js')).openedLink()}
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
        {screen && shown.taps.some(({ refusal }) => refusal) && (
          <Later
            load={async () => (await import('./shell/dialog-views.js')).Questions}
            props={{ taps: shown.taps, zone: screen.user }}
          />
        )}
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
              <Challenge screen={screen} />
              {screen.user.streak.longest > 0 && <History screen={screen} state={state} />}
              <Archived tasks={screen.archived} />
            </div>
          </>
        ) : (
          <Waiting />
        )}
        <Floating state={state} />
      </main>
      {dialog && <Dialog dialog={dialog} state={state} />}
    </>
  );
}

/** One pill above the bar, or beside the list: it moves nothing, and covers no button of the page. */
const Floating = ({ state }: { state: State }) => (
  <div class="floating">
    {state.screen && state.isOnline && <Travel user={state.screen.user} />}
    {state.screen && setting('timer') && (
      <Later
        load={async () => (await import('./shell/dialog-views.js')).Timer}
        props={{ state, screen: state.screen }}
      />
    )}
    <Said state={state} />
  </div>
);

/** Who has travelled is asked once whether the days go along. */
function Travel({ user }: { user: User }) {
  const { timeZone, today } = user;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  // biome-ignore lint/correctness/useExhaustiveDependencies: clocks are changed from one day to the next
  const isHome = useMemo(() => isSameClock(zone, timeZone), [zone, timeZone, today]);
  if (isHome || staysElsewhere(zone)) return null;
  return (
    <Later
      key={zone}
      load={async () => (await import('./shell/later-views.js')).Travel}
      props={{ zone, user }}
    />
  );
}

/** Most who open the page are logged in. */
const SignIn = ({ state }: { state: State }) => (
  <Later load={async () => (await import('./account/account-form.js')).AccountForm} props={{ state }} />
);

/** What was done so far. */
const History = (props: { screen: Screen; state: State }) => (
  <>
    <Later load={async () => (await import('./year/heatmap.js')).Heatmap} props={props} />
    {desk.matches && (
      <Later load={async () => (await import('./shell/dialog-views.js')).BoardCard} props={props} />
    )}
  </>
);

/** What is the same is not drawn again. */
const Archived = ({ tasks }: { tasks: Screen['archived'] }) =>
  useMemo(
    () =>
      tasks.length > 0 && (
        <Later load={async () => (await import('./shell/dialog-views.js')).Archived} props={{ tasks }} />
      ),
    [tasks],
  );

/** One line, until there is one or one is wanted; nothing before there is a habit. What is the same is not drawn again. */
function Challenge({ screen }: { screen: Screen }) {
  const [isOpen, setOpen] = useState(false);
  return useMemo(() => {
    const { activeChallenge } = screen.user;
    if (!activeChallenge && screen.tasks.length === 0) return null;
    const card = (
      <Later
        load={async () => (await import('./challenges/challenge-card.js')).ChallengeCard}
        props={{ screen }}
      />
    );
    return (
      <section class="card challenge" aria-label={t.challenge.title}>
        {activeChallenge ? (
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
  }, [screen, isOpen]);
}
