import { useSyncExternalStore } from 'react';

/**
 * The scheme the page wears. What draws with colours of the page may not go by what the reader or the device wants: for a
 * moment the page still has the other ones.
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
