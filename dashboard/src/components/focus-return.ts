import { useEffect, useRef } from 'react';

/**
 * Puts whoever closes what stood over the page back where they were when it opened. The library's own way knows neither
 * what is drawn only while it is open, nor that the entry of a menu is gone by then.
 */
export function useFocusReturn(isOpen: boolean): void {
  const place = useRef<HTMLElement>(undefined);
  const wasOpen = useRef(false);
  // Noted while drawing: what opens takes the focus as soon as it stands.
  if (isOpen && !wasOpen.current) place.current = focusedPlace();
  wasOpen.current = isOpen;
  useEffect(() => {
    if (!isOpen) return undefined;
    return () => {
      const left = document.activeElement;
      // What closes is still there for a moment, and what opens instead of it takes the focus by itself.
      setTimeout(() => {
        const now = document.activeElement;
        if (now === null || now === document.body || now === left) place.current?.focus({ preventScroll: true });
      }, afterMs);
    };
  }, [isOpen]);
}

const afterMs = 10;

/** What has the focus; for an entry of a menu, the button that opened the menu. */
function focusedPlace(): HTMLElement | undefined {
  const focused = document.activeElement;
  const button = focused?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  const place = button ? document.getElementById(button) : focused;
  return place instanceof HTMLElement ? place : undefined;
}
