import { useBlocker } from '@tanstack/react-router';

/**
 * How a dialog is kept from closing as long as something in it would be lost: a secret that is shown once, or what
 * becomes of a write under way, of which nobody would be told. The way back stays, and leaving the page asks first.
 */
export function useHeldOpen(isHeld: boolean) {
  useBlocker({
    // Pages that lead on once the write is done are let through: only the browser's own buttons lose something.
    shouldBlockFn: ({ action }) => isHeld && (action === 'BACK' || action === 'FORWARD' || action === 'GO'),
    enableBeforeUnload: isHeld,
    disabled: !isHeld,
  });
  return { closeOnClickOutside: !isHeld, closeOnEscape: !isHeld, withCloseButton: !isHeld };
}
