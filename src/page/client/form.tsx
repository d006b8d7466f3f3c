import { hasTokenEnded, NoAnswer, Refused, sentenceOf } from './ask.js';
import type { Child } from './draw.js';
import { endSession } from './screen.js';
import { get, set } from './store.js';

interface FormProps {
  /** One of the page, which the ids of its fields begin with. */
  name: string;
  action: (data: FormData) => Promise<unknown>;
  submit: string;
  /** Beside the button that submits. */
  others?: Child;
  children?: Child;
}

/** Says what is wrong above the button, and stays as it is until it succeeds. */
export function Form({ name, action, submit, others, children }: FormProps) {
  const own = get().form?.name === name ? get().form : null;
  const run = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const { form: latest } = get();
    if (latest?.name === name && latest.isBusy) return;
    const tell = (problem: string, isBusy = false) => set({ form: { name, problem, isBusy } });
    tell('', true);
    try {
      await action(new FormData(form, event.submitter));
      tell('');
    } catch (error) {
      if (hasTokenEnded(error)) endSession(error.token);
      tell(sentenceOf(error));
      if (error instanceof Refused) focusOn(form, error.fields);
      else if (!(error instanceof NoAnswer)) console.error(error);
    }
  };
  return (
    <form onSubmit={run}>
      {children}
      <p role="alert" class="problem">
        {own?.problem}
      </p>
      <div class="buttons">
        <button type="submit" class="primary" aria-disabled={own?.isBusy}>
          {submit}
        </button>
        {others}
      </div>
    </form>
  );
}

/** The names of inputs are those of the service. */
function focusOn(form: HTMLFormElement, names: readonly string[]): void {
  const input = names
    .map((name) => form.elements.namedItem(name))
    .find((each) => each instanceof HTMLElement);
  input?.focus();
}

interface FieldProps {
  /** Of the form and of the field, which is the service's name of the input: `sign-up.email`. */
  id: string;
  label: string;
  hint?: string;
  type?: 'text' | 'email' | 'password' | 'number' | 'file' | 'date';
  value?: string | number;
  autocomplete?: string;
  required?: boolean;
  minlength?: number;
  maxlength?: number;
  min?: number;
  max?: number;
  step?: string;
  list?: string;
  accept?: string;
  /** Of a text with several lines. */
  rows?: number;
}

export function Field({ id, label, hint, type = 'text', value = '', ...rest }: FieldProps) {
  const given = {
    id,
    name: id.split('.')[1],
    defaultValue: value,
    'aria-describedby': hint && `${id}-hint`,
    ...rest,
  };
  return (
    <p class="field">
      <label for={id}>{label}</label>
      {rest.rows ? <textarea {...given} /> : <input type={type} {...given} />}
      {hint && (
        <small id={`${id}-hint`} class="about">
          {hint}
        </small>
      )}
    </p>
  );
}

interface CheckboxProps {
  name: string;
  /** Where several have the same name. */
  value?: string;
  label: string;
  checked?: boolean;
  onChange?: (isChecked: boolean) => void;
}

export function Checkbox({ name, value, label, checked = false, onChange }: CheckboxProps) {
  return (
    <label class="checkbox">
      <input
        type="checkbox"
        name={name}
        value={value}
        defaultChecked={checked}
        onChange={({ currentTarget }) => onChange?.((currentTarget as HTMLInputElement).checked)}
      />
      <span>{label}</span>
    </label>
  );
}

export const textOf = (data: FormData, name: string): string => String(data.get(name) ?? '');
