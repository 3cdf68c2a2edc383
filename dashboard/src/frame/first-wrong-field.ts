import { useEffect } from 'react';

/** Where a form was refused, its first wrong field is shown and has the focus: it may stand far above the button. */
export function useFirstWrongField(): void {
  useEffect(() => {
    const look = ({ target }: Event) => {
      // The page is drawn with its errors behind this event.
      setTimeout(() => {
        if (target instanceof HTMLElement) target.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
      });
    };
    document.addEventListener('submit', look);
    return () => document.removeEventListener('submit', look);
  }, []);
}
