import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

const accent: MantineColorsTuple = [
  '#effaf7',
  '#d7f2eb',
  '#aee4d7',
  '#7fd1bf',
  '#4fb9a4',
  '#2b9f8a',
  '#178471',
  '#0f6e5f',
  '#0d584d',
  '#0b483f',
];

const grey: MantineColorsTuple = [
  '#f8f8f7',
  '#f1f1ef',
  '#e6e6e3',
  '#d7d7d3',
  '#b4b4af',
  '#8b8b86',
  '#6b6b67',
  '#4b4b48',
  '#30302e',
  '#1b1b1a',
];

const dark: MantineColorsTuple = [
  '#d6d7d5',
  '#adaeac',
  '#919290',
  '#6a6b69',
  '#3d3e3d',
  '#313231',
  '#242524',
  '#191a1a',
  '#121313',
  '#0b0c0c',
];

/** Neutral greys, one accent, steps of eight pixels, and figures that stand under each other. */
export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 6 },
  autoContrast: true,
  colors: { accent, gray: grey, dark },
  black: '#1b1b1a',
  fontFamily:
    "-apple-system, BlinkMacSystemFont, 'Segoe UI', 'Helvetica Neue', 'Open Sans', 'Noto Sans', 'PingFang SC', 'Hiragino Sans GB', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', 'JetBrains Mono', Menlo, Consolas, monospace",
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '1.45', sm: '1.5', md: '1.55', lg: '1.5', xl: '1.4' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '16px' },
  defaultRadius: 'md',
  shadows: {
    xs: '0 1px 2px rgba(20, 20, 18, 0.05)',
    sm: '0 1px 3px rgba(20, 20, 18, 0.07)',
    md: '0 6px 24px -6px rgba(20, 20, 18, 0.14), 0 2px 6px rgba(20, 20, 18, 0.05)',
  },
  headings: {
    fontWeight: '620',
    sizes: {
      h1: { fontSize: '24px', lineHeight: '32px' },
      h2: { fontSize: '18px', lineHeight: '24px' },
      h3: { fontSize: '15px', lineHeight: '24px' },
      h4: { fontSize: '14px', lineHeight: '20px' },
    },
  },
  focusRing: 'auto',
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    Modal: { defaultProps: { centered: true, radius: 'lg', overlayProps: { backgroundOpacity: 0.45 } } },
    Card: { defaultProps: { withBorder: true, radius: 'lg', padding: 'lg' } },
    Paper: { defaultProps: { radius: 'lg' } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300, multiline: true } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 500 } },
    Menu: { defaultProps: { shadow: 'md', radius: 'md' } },
    Button: { defaultProps: { fw: 560 } },
  },
});

/** The few surfaces the frame paints, and text greys that stay readable on both schemes. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-dimmed': '#62625e',
    '--mantine-color-placeholder': '#73736e',
    '--surface-sunken': '#f8f8f7',
    '--surface-raised': '#ffffff',
    '--surface-hover': '#f1f1ef',
    '--line': '#e6e6e3',
    '--line-strong': '#d7d7d3',
    '--chart-1': '#0f6e5f',
    '--chart-2': '#c2792c',
    '--chart-3': '#5866a8',
    '--chart-4': '#8b8b86',
    '--chart-bad': '#c2413b',
    '--chart-grid': '#efefec',
    '--chart-text': '#6b6b67',
  },
  dark: {
    '--mantine-color-body': '#191a1a',
    '--mantine-color-dimmed': '#a3a4a1',
    '--mantine-color-placeholder': '#8b8c8a',
    '--surface-sunken': '#121313',
    '--surface-raised': '#191a1a',
    '--surface-hover': '#242524',
    '--line': '#2a2b2a',
    '--line-strong': '#3d3e3d',
    '--chart-1': '#4fb9a4',
    '--chart-2': '#dfa35c',
    '--chart-3': '#8f9be0',
    '--chart-4': '#919290',
    '--chart-bad': '#ee7d76',
    '--chart-grid': '#262726',
    '--chart-text': '#a3a4a1',
  },
});
