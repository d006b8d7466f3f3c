import { useEffect, useState } from 'preact/hooks';
import { leave, logIn, signUp, zoneOfDevice } from './account.js';
import { Button } from './button.js';
import { Checkbox, Field, Form, NewPassword, textOf } from './form.js';
import { Logo } from './icons.js';
import { t } from './language.js';
import { openLater } from './later.js';
import { canSignUp, NO_NOTICE, type State, set } from './store.js';
import { readService, type SignInService } from './ways-in.js';

/** For whoever is not logged in, or not any more. */
export function AccountForm({ state: { session, taps, isNew } }: { state: State }) {
  if (session) {
    return (
      <section class="card">
        <h1>{t.signIn.again}</h1>
        <p class="about">
          {t.signIn.ended} {taps.length > 0 && t.signIn.waiting(taps.length)}
        </p>
        <LogIn />
        <Other question={t.signIn.somebodyElse} answer={t.signIn.otherAccount} act={leave} />
      </section>
    );
  }
  const other = isNew
    ? { question: t.signIn.haveAccount, answer: t.signIn.logInInstead }
    : { question: t.signIn.newHere, answer: t.signIn.create };
  return (
    <section class="card welcome">
      <div class="bar">
        <Logo />
        <p class="name">Steady</p>
      </div>
      <h1>{isNew ? t.signIn.promise : t.signIn.welcomeBack}</h1>
      <p class="about">{t.signIn.about}</p>
      {isNew ? <SignUp /> : <LogIn />}
      {canSignUp ? (
        <Other {...other} act={() => set({ isNew: !isNew, ...NO_NOTICE })} />
      ) : (
        <p class="about">{t.signIn.closed}</p>
      )}
    </section>
  );
}

const Other = ({ question, answer, act }: { question: string; answer: string; act: () => unknown }) => (
  <p class="about">
    {question}{' '}
    <Button kind="link" act={act}>
      {answer}
    </Button>
  </p>
);

function SignUp() {
  const zone = zoneOfDevice();
  const act = (data: FormData) => {
    const [name, email, password] = [textOf(data, 'name'), textOf(data, 'email'), textOf(data, 'password')];
    return signUp({ name, email, password }, data.has('zone') ? zone : null);
  };
  return (
    <Form action={act} submit={t.signIn.signUp}>
      <Field id="sign-up.name" label={t.signIn.name} autocomplete="name" required maxlength={200} />
      <Field id="sign-up.email" label={t.signIn.email} type="email" autocomplete="username" required />
      <NewPassword id="sign-up.password" label={t.signIn.password} />
      <Checkbox name="zone" label={t.signIn.zone(zone)} checked />
    </Form>
  );
}

function LogIn() {
  const [service, setService] = useState<SignInService>();
  useEffect(() => void readService().then(setService, () => {}), []); // without a network nobody gets in either way
  return (
    <>
      <WithPassword />
      <p class="about">
        {service?.mail ? (
          <Button kind="link" act={openForgotten}>
            {t.back.forgotten}
          </Button>
        ) : (
          service && t.signIn.forgotten
        )}
      </p>
      {service?.oidc.map(({ id, name, url }) => (
        <a key={id} class="quiet provider" href={url}>
          {t.back.logInWith(name)}
        </a>
      ))}
    </>
  );
}

const openForgotten = () =>
  openLater(
    t.back.forgotten,
    async () => (await import('./forgotten.js')).Forgotten,
    (Forgotten) => Forgotten,
  );

const WithPassword = () => (
  <Form action={(data) => logIn(textOf(data, 'email'), textOf(data, 'password'))} submit={t.signIn.logIn}>
    <Field id="log-in.email" label={t.signIn.email} type="email" autocomplete="username" required />
    <Field
      id="log-in.password"
      label={t.signIn.password}
      type="password"
      autocomplete="current-password"
      required
    />
  </Form>
);
