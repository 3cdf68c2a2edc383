import { localStorageColorSchemeManager, MantineProvider, MantineThemeProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { type ReactNode, useEffect, useMemo } from 'react';
import { queryClient } from './api/client.ts';
import { appRouter } from './frame/router.tsx';
import { type InitialLanguage, TextProvider, useText } from './text/text.tsx';
import { theme } from './theme/theme.ts';

const colorSchemeManager = localStorageColorSchemeManager({ key: 'gateway.color-scheme' });
const client = queryClient();
const router = appRouter(client);

/** Starts to load the page of the address, in parallel with the texts. */
export function beginLoading(): void {
  void router.load();
}

export function App({ initialLanguage }: { readonly initialLanguage: InitialLanguage }) {
  useFirstInvalidField();
  return (
    <MantineProvider
      theme={theme}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <TextProvider first={initialLanguage}>
        <QueryClientProvider client={client}>
          <LocalizedDefaults>
            <RouterProvider router={router} />
            <Notifications position="bottom-right" />
          </LocalizedDefaults>
        </QueryClientProvider>
      </TextProvider>
    </MantineProvider>
  );
}

/** After a form is rejected, moves the focus to its first invalid field, which may be far above the button. */
function useFirstInvalidField(): void {
  useEffect(() => {
    const look = ({ target }: Event) => {
      // React renders the errors after this event.
      setTimeout(() => {
        if (target instanceof HTMLElement) target.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
      });
    };
    document.addEventListener('submit', look);
    return () => document.removeEventListener('submit', look);
  }, []);
}

/** Gives the built-in buttons of Mantine components a label in the user's language. */
function LocalizedDefaults({ children }: { readonly children: ReactNode }) {
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
