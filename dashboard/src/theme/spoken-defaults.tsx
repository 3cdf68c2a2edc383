import { MantineThemeProvider } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { useText } from '../text/text.tsx';

/** Gives the built-in buttons of Mantine components a label in the user's language. */
export function LocalizedDefaults({ children }: { readonly children: ReactNode }) {
  const { t } = useText();
  const theme = useMemo(() => {
    const closeButtonProps = { 'aria-label': t('common.close') };
    const visibilityToggleButtonProps = { 'aria-label': t('common.showPassword') };
    return {
      components: {
        Modal: { defaultProps: { closeButtonProps } },
        Drawer: { defaultProps: { closeButtonProps } },
        Notification: { defaultProps: { closeButtonProps } },
        PasswordInput: { defaultProps: { visibilityToggleButtonProps } },
      },
    };
  }, [t]);
  return <MantineThemeProvider theme={theme}>{children}</MantineThemeProvider>;
}
