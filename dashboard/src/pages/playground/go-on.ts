/** Has whoever uses the keyboard go on in the composer where the button that they press goes away with what it does. */
export function goOnIn(composer: HTMLElement | null): void {
  // Who taps on a phone would have its keyboard come up instead.
  if (!document.activeElement?.matches(':focus-visible')) return;
  composer?.querySelector('textarea')?.focus({ preventScroll: true });
}
