import { type ComponentProps, type FormEvent, useEffect, useRef } from 'react';

interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit' | 'noValidate' | 'ref'> {
  /** Sends the form, or shows problems at its fields. */
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void;
}

/**
 * A form that shows problems itself, in the language of the dashboard, instead of the browser. After a submit, the first
 * field with a problem gets the focus, also if the gateway reports the problem later.
 */
export function Form({ onSubmit, children, ...props }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const stop = useRef<() => void>(undefined);
  useEffect(() => () => stop.current?.(), []);
  return (
    <form
      {...props}
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        stop.current?.();
        if (form.current) stop.current = focusFirstProblem(form.current);
        onSubmit(event);
      }}
    >
      {children}
    </form>
  );
}

/** Waits for the first problem. Ends as soon as the user types or moves on. Returns a function that ends it earlier. */
function focusFirstProblem(form: HTMLFormElement): () => void {
  const observer = new MutationObserver(look);
  const stop = () => {
    observer.disconnect();
    form.removeEventListener('input', stop);
    form.removeEventListener('pointerdown', stop);
  };
  function look(): void {
    const field = form.querySelector<HTMLElement>('[aria-invalid="true"]');
    if (!field) return;
    stop();
    field.focus();
  }
  form.addEventListener('input', stop);
  form.addEventListener('pointerdown', stop);
  observer.observe(form, { subtree: true, childList: true, attributeFilter: ['aria-invalid'] });
  // A problem that was there before the submit causes no mutation.
  queueMicrotask(look);
  return stop;
}
