import { useLayoutEffect, useRef } from 'preact/hooks';
import { tell } from '../sync/store.js';
import { Button } from './button.js';
import { t } from './language.js';

/** Nobody is shown this text again, so it can be taken along now. */
export function ShownOnce({ label, text }: { label: string; text: string }) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    input.current?.focus(); // the button that had it has gone
    input.current?.select();
  }, []);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    tell(t.common.copied, true);
  };
  return (
    <>
      <p class="field">
        <label for="shown-once">{label}</label>
        <input id="shown-once" value={text} readOnly ref={input} />
      </p>
      <div class="buttons">{navigator.clipboard && <Button act={copy}>{t.common.copy}</Button>}</div>
    </>
  );
}
