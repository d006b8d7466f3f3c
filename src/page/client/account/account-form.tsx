import { NO_NOTICE, type State, set, signUpBy } from '../sync/store.js';
import { Button } from '../ui/button.js';
import { Field, Form, NewPassword, textOf } from '../ui/form.js';
import { Logo } from '../ui/icons.js';
import { t } from '../ui/language.js';
import { leave, logIn, signUp } from './account.js';
import { ForgottenPassword, openForgotten, useService } from './forgotten.js';
import type { SignInService } from './ways-in.js';

/** For whoever is not logged in, or not any more. */
export function AccountForm({ state: { session, taps, isNew: wantsNew, email } }: { state: State }) {
  const service = useService();
  const isOpen = service?.isSignUpOpen ?? signUpBy === 'open'; // the page on this device may be older than the setting
  const isNew = wantsNew && isOpen;
  const title = session ? t.signIn.again : isNew ? t.signIn.promise : t.signIn.welcomeBack;
  return (
    <section class="card welcome">
      <div class="bar">
        <Logo />
        <p class="name">Steady</p>
      </div>
      <h1>{title}</h1>
      <p class="about">
        {session ? t.signIn.ended(email) : t.signIn.about}{' '}
        {session && taps.length > 0 && t.signIn.waiting(taps.length)}
      </p>
      {isNew && !session ? <SignUp /> : <LogIn email={email} service={service} />}
      {service?.providers.map(({ id, name, url }) => (
        <a key={id} class="quiet provider" href={url}>
          {t.back.logInWith(name)}
        </a>
      ))}
      <Otherwise isAgain={session !== null} {...{ isNew, isOpen, service }} />
    </section>
  );
}

interface OtherwiseProps {
  isAgain: boolean;
  isNew: boolean;
  isOpen: boolean;
  service: SignInService | undefined;
}

function Otherwise({ isAgain, isNew, isOpen, service }: OtherwiseProps) {
  const other = () => set({ isNew: !isNew, ...NO_NOTICE });
  if (isAgain) return <Other question={t.signIn.somebodyElse} answer={t.signIn.otherAccount} act={leave} />;
  if (isNew) return <Other question={t.signIn.haveAccount} answer={t.signIn.logInInstead} act={other} />;
  if (isOpen) return <Other question={t.signIn.newHere} answer={t.signIn.create} act={other} />;
  const isClosed = signUpBy === 'closed' || service?.providers.length === 0;
  return isClosed && <p class="about">{t.signIn.closed}</p>;
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
  const act = (data: FormData) =>
    signUp({
      name: textOf(data, 'name'),
      email: textOf(data, 'email'),
      password: textOf(data, 'password'),
    });
  return (
    <Form action={act} submit={t.signIn.signUp}>
      <Field id="sign-up.name" label={t.signIn.name} autocomplete="name" required maxlength={200} />
      <Field id="sign-up.email" label={t.signIn.email} type="email" autocomplete="username" required />
      <NewPassword id="sign-up.password" label={t.signIn.password} />
    </Form>
  );
}

const typedEmail = () => document.querySelector<HTMLInputElement>('#log-in\\.email')?.value;

function LogIn({ email, service }: { email: string; service: SignInService | undefined }) {
  return (
    <>
      <Form action={(data) => logIn(textOf(data, 'email'), textOf(data, 'password'))} submit={t.signIn.logIn}>
        <Field
          id="log-in.email"
          label={t.signIn.email}
          type="email"
          autocomplete="username"
          value={email}
          required
        />
        <Field
          id="log-in.password"
          label={t.signIn.password}
          type="password"
          autocomplete="current-password"
          required
        />
      </Form>
      <ForgottenPassword service={service} act={() => openForgotten(typedEmail())} />
    </>
  );
}
