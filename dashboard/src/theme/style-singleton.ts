import { useInsertionEffect } from 'react';
import { adoptStyles } from './adopt-styles.ts';

/** Replaces the package of this name, which dialogs use to keep the page behind them from scrolling. */
export function styleSingleton() {
  return function Style({ styles }: { readonly styles: string }) {
    useInsertionEffect(() => adoptStyles(styles), [styles]);
    return null;
  };
}
