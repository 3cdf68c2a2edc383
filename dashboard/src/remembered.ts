/** What this browser was told before under a name; nothing where storage is forbidden. */
export function recall(name: string): string | null {
  try {
    return localStorage.getItem(`gateway.${name}`);
  } catch {
    return null;
  }
}

/** Keeps a choice for the next visit, or forgets it when there is none; where storage is forbidden it lasts for this page only. */
export function remember(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`gateway.${name}`);
    else localStorage.setItem(`gateway.${name}`, value);
  } catch {
    // Private windows of some browsers refuse; the choice still holds in memory.
  }
}
