import { logIn, signUp, zoneOfDevice } from './account.js';
import { Button } from './button.js';
import { counted } from './days.js';
import { Checkbox, Field, Form, NewPassword, textOf } from './form.js';
import { Logo } from './icons.js';
import { leave } from './screen.js';
import { canSignUp, type State, set } from './store.js';

/** For whoever is not logged in, or not any more. */
export function AccountForm({ state: { session, taps, isNew } }: { state: State }) {
  if (session) {
    return (
      <section class="card">
        <h1>Please log in again</h1>
        <p class="about">
          Your log-in has ended.
          {taps.length > 0 && ` ${counted(taps.length, 'tap')} waiting on this device.`}
        </p>
        <LogIn />
        <Other question="Somebody else?" answer="Use another account" act={leave} />
      </section>
    );
  }
  const other = isNew
    ? { question: 'You have an account?', answer: 'Log in instead' }
    : { question: 'New here?', answer: 'Create an account' };
  return (
    <section class="card welcome">
      <div class="bar">
        <Logo />
        <p class="name">Steady</p>
      </div>
      <h1>{isNew ? 'A little, every day' : 'Welcome back'}</h1>
      <p class="about">Keep habits and streaks, take on a challenge.</p>
      {isNew ? <SignUp /> : <LogIn />}
      {canSignUp ? (
        <Other {...other} act={() => set({ isNew: !isNew })} />
      ) : (
        <p class="about">Accounts are made by whoever runs this service.</p>
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
    <Form action={act} submit="Sign up">
      <Field id="sign-up.name" label="Name" autocomplete="name" required maxlength={200} />
      <Field id="sign-up.email" label="E-mail" type="email" autocomplete="username" required />
      <NewPassword id="sign-up.password" label="Password" />
      <Checkbox name="zone" label={`My days follow the time zone of this device (${zone})`} checked />
    </Form>
  );
}

const LogIn = () => (
  <Form action={(data) => logIn(textOf(data, 'email'), textOf(data, 'password'))} submit="Log in">
    <Field id="log-in.email" label="E-mail" type="email" autocomplete="username" required />
    <Field id="log-in.password" label="Password" type="password" autocomplete="current-password" required />
  </Form>
);
