import { useEffect, useRef } from 'react';

/**
 * When a dialog closes, returns the focus to the element that had it before. The library's own mechanism fails for
 * components that mount only while open, and for menu items, which no longer exist by then.
 */
export function useFocusReturn(isOpen: boolean): void {
  const previous = useRef<HTMLElement>(undefined);
  const wasOpen = useRef(false);
  // Read during render: a dialog takes the focus as soon as it mounts.
  if (isOpen && !wasOpen.current) previous.current = focusedElement();
  wasOpen.current = isOpen;
  useEffect(() => {
    if (!isOpen) return undefined;
    return () => {
      const left = document.activeElement;
      // The closing dialog is still mounted for a moment. A dialog that opens instead takes the focus itself.
      setTimeout(() => {
        const now = document.activeElement;
        if (now === null || now === document.body || now === left) previous.current?.focus({ preventScroll: true });
      }, afterMs);
    };
  }, [isOpen]);
}

const afterMs = 10;

/** The focused element. For a menu item: the button that opened the menu. */
function focusedElement(): HTMLElement | undefined {
  const focused = document.activeElement;
  const button = focused?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  const element = button ? document.getElementById(button) : focused;
  return element instanceof HTMLElement ? element : undefined;
}
