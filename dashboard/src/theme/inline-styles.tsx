import { type InlineStylesInput, stylesToString } from '@mantine/core';
import { useInsertionEffect } from 'react';
import { adoptStyles } from './adopt-styles.ts';

/** Takes the place of Mantine's component of this name, whose style element the content security policy refuses. */
export function InlineStyles(props: InlineStylesInput) {
  const css = stylesToString(props);
  useInsertionEffect(() => adoptStyles(css), [css]);
  return null;
}
