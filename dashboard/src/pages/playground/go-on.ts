/** Moves the keyboard focus to the composer, for buttons that disappear when pressed. */
export function focusComposer(composer: HTMLElement | null): void {
  // Not after a tap: on a phone, focusing the field would open the on-screen keyboard.
  if (!document.activeElement?.matches(':focus-visible')) return;
  composer?.querySelector('textarea')?.focus({ preventScroll: true });
}
