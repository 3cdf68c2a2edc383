/**
 * How a dialog is kept from closing as long as something in it would be lost: a secret that is shown once, or what
 * becomes of a write under way, of which nobody would be told.
 */
export function heldOpen(isHeld: boolean) {
  return { closeOnClickOutside: !isHeld, closeOnEscape: !isHeld, withCloseButton: !isHeld };
}
