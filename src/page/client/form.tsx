import { hasTokenEnded, NoAnswer, Refused, sentenceOf } from './ask.js';
import type { Child } from './draw.js';
import { endSession } from './screen.js';
import { get, set } from './store.js';

interface FormProps {
  /** One of the page, which the ids of its fields begin with. */
  name: string;
  action: (data: FormData) => Promise<void>;
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
    if (own?.isBusy) return;
    const tell = (problem: string, isBusy = false) => set({ form: { name, problem, isBusy } });
    tell('', true);
    try {
      await action(new FormData(form));
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
  type?: 'text' | 'email' | 'password' | 'number';
  value?: string | number;
  autocomplete?: string;
  required?: boolean;
  minlength?: number;
  maxlength?: number;
  min?: number;
  max?: number;
  step?: string;
  list?: string;
}

export function Field({ id, label, hint, type = 'text', value = '', ...rest }: FieldProps) {
  return (
    <p class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={id.split('.')[1]}
        type={type}
        defaultValue={value}
        aria-describedby={hint ? `${id}-hint` : undefined}
        {...rest}
      />
      {hint && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </p>
  );
}

export const Area = ({
  id,
  label,
  value,
  maxlength,
}: Pick<FieldProps, 'id' | 'label' | 'value' | 'maxlength'>) => (
  <p class="field">
    <label for={id}>{label}</label>
    <textarea id={id} name={id.split('.')[1]} rows={3} maxlength={maxlength} defaultValue={value} />
  </p>
);

interface CheckboxProps {
  name: string;
  label: string;
  checked?: boolean;
  onChange?: (isChecked: boolean) => void;
}

export function Checkbox({ name, label, checked = false, onChange }: CheckboxProps) {
  return (
    <label class="checkbox">
      <input
        type="checkbox"
        name={name}
        defaultChecked={checked}
        onChange={({ currentTarget }) => onChange?.((currentTarget as HTMLInputElement).checked)}
      />
      <span>{label}</span>
    </label>
  );
}

export const textOf = (data: FormData, name: string): string => String(data.get(name) ?? '');
