import { type InlineStylesInput, stylesToString } from '@mantine/core';
import { useInsertionEffect } from 'react';
import { adoptStyles } from './adopt-styles.ts';

/** Replaces Mantine's component of this name, whose style element the content security policy blocks. */
export function InlineStyles(props: InlineStylesInput) {
  const css = stylesToString(props);
  useInsertionEffect(() => adoptStyles(css), [css]);
  return null;
}
