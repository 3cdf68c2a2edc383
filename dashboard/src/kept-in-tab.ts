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
