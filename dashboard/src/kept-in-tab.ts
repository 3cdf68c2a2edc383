/** What this tab kept under a name, as it was; nothing where there is none, or where storage is forbidden. */
export function keptInTab(name: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(`gateway.${name}`) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * Keeps something through a reload, until the tab is closed or its user signs out, and in no other tab. What is too
 * much, or forbidden, lasts as long as the page.
 */
export function keepInTab(name: string, value: unknown): void {
  try {
    if (value === undefined) sessionStorage.removeItem(`gateway.${name}`);
    else sessionStorage.setItem(`gateway.${name}`, JSON.stringify(value));
  } catch {
    // A browser may have no room, or no wish, for it.
  }
}
