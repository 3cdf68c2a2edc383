import { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core';
import { adoptStyles } from './inline-styles.tsx';
import { cssVariables, theme } from './theme.ts';

/** Adds the theme's variables and the classes for `visibleFrom` and `hiddenFrom` to the page. Call once. */
export function adoptTheme(): void {
  const whole = mergeMantineTheme(DEFAULT_THEME, theme);
  const base = defaultCssVariablesResolver(whole);
  const own = cssVariables(whole);
  const merged = {
    variables: { ...base.variables, ...own.variables },
    light: { ...base.light, ...own.light, '--mantine-color-scheme': 'light' },
    dark: { ...base.dark, ...own.dark, '--mantine-color-scheme': 'dark' },
  };
  adoptStyles(convertCssVariables(merged, ':root') + Object.entries(whole.breakpoints).map(visibility).join(''));
}

function visibility([name, from]: [string, string]): string {
  return (
    `@media (width < ${from}) { .mantine-visible-from-${name} { display: none !important; } }` +
    `@media (width >= ${from}) { .mantine-hidden-from-${name} { display: none !important; } }`
  );
}
