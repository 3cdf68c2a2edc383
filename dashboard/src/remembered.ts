/** Returns the value that this browser stored under a name. Null if there is none, or if storage is blocked. */
export function recall(name: string): string | null {
  try {
    return localStorage.getItem(`gateway.${name}`);
  } catch {
    return null;
  }
}

/** Stores a choice for the next visit; null removes it. If storage is blocked, the choice lasts for this page only. */
export function remember(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`gateway.${name}`);
    else localStorage.setItem(`gateway.${name}`, value);
  } catch {
    // Private windows of some browsers block storage; the choice still holds in memory.
  }
}
