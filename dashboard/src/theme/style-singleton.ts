import { useInsertionEffect } from 'react';
import { adoptStyles } from './adopt-styles.ts';

/** Takes the place of the package of this name, with which dialogs keep the page behind them from scrolling. */
export function styleSingleton() {
  return function Style({ styles }: { readonly styles: string }) {
    useInsertionEffect(() => adoptStyles(styles), [styles]);
    return null;
  };
}
