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

/** Calls the listener when another tab changes or removes a value. Returns a function that stops listening. */
export function onStorageChange(name: string, listener: (value: string | null) => void): () => void {
  const listen = ({ key, newValue }: StorageEvent): void => {
    // Without a key, the other tab cleared the whole storage.
    if (key === null || key === `gateway.${name}`) listener(newValue);
  };
  addEventListener('storage', listen);
  return () => removeEventListener('storage', listen);
}

/** Returns the value that this tab stored under a name. Undefined if there is none, or if storage is blocked. */
export function readFromTab(name: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(`gateway.${name}`) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * Keeps a value across reloads, in this tab only, until the tab closes or the user signs out. If the value is too large
 * or storage is blocked, it lasts as long as the page.
 */
export function storeInTab(name: string, value: unknown): void {
  try {
    if (value === undefined) sessionStorage.removeItem(`gateway.${name}`);
    else sessionStorage.setItem(`gateway.${name}`, JSON.stringify(value));
  } catch {
    // Storage may be full or blocked.
  }
}
