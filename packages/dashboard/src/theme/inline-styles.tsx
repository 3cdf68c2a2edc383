import { type InlineStylesInput, stylesToString } from '@mantine/core';
import { useInsertionEffect } from 'react';

/** Replaces Mantine's component of this name, whose style element the content security policy blocks. */
export function InlineStyles(props: InlineStylesInput) {
  const css = stylesToString(props);
  useInsertionEffect(() => adoptStyles(css), [css]);
  return null;
}

/**
 * Adds CSS rules to the page until the returned function is called. A content security policy without inline styles
 * allows this.
 */
export function adoptStyles(css: string): () => void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
  };
}

/** Replaces the package of this name, which dialogs use to keep the page behind them from scrolling. */
export function styleSingleton() {
  return function Style({ styles }: { readonly styles: string }) {
    useInsertionEffect(() => adoptStyles(styles), [styles]);
    return null;
  };
}
