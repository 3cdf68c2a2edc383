import { useSyncExternalStore } from 'react';

/**
 * The colour scheme that the page shows now. Code that draws with the page's colours must not use the preferred scheme:
 * for a moment the page still has the other colours.
 */
export function useShownScheme(): 'light' | 'dark' {
  return useSyncExternalStore(watch, shownScheme);
}

const attribute = 'data-mantine-color-scheme';

function shownScheme(): 'light' | 'dark' {
  return document.documentElement.getAttribute(attribute) === 'dark' ? 'dark' : 'light';
}

function watch(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributeFilter: [attribute] });
  return () => observer.disconnect();
}
