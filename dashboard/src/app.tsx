import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { queryClient } from './api/client.ts';
import { useFirstInvalidField } from './frame/first-wrong-field.ts';
import { appRouter } from './frame/router.tsx';
import { type InitialLanguage, TextProvider } from './text/text.tsx';
import { LocalizedDefaults } from './theme/spoken-defaults.tsx';
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
