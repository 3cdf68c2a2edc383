import { useEffect } from 'react';

/** After a form is rejected, moves the focus to its first invalid field, which may be far above the button. */
export function useFirstInvalidField(): void {
  useEffect(() => {
    const look = ({ target }: Event) => {
      // React renders the errors after this event.
      setTimeout(() => {
        if (target instanceof HTMLElement) target.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
      });
    };
    document.addEventListener('submit', look);
    return () => document.removeEventListener('submit', look);
  }, []);
}
