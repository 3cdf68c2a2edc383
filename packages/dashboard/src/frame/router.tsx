import { Button } from '@mantine/core';
import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import type { QueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { isReachable } from '../api/call.ts';
import { sessionQuery } from '../api/session.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { ViewButton } from '../components/view-links.tsx';
import { WarningIcon } from '../icons.tsx';
import { type PageEntry, pages } from '../routes.tsx';
import { useText } from '../text/text.tsx';
import { PageLoading } from './page-loading.tsx';
import { PublicFrame } from './public-frame.tsx';
import { SignedInFrame } from './signed-in-frame.tsx';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    readonly page?: PageEntry;
  }
}

/** Builds the router from the table of pages. Query values stay strings, so that URLs read as written. */
export function appRouter(client: QueryClient) {
  // Loads the session in parallel with the page's file: one skeleton instead of two in a row.
  const loader = () => client.prefetchQuery(sessionQuery);
  const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound, errorComponent: CrashNotice });
  const publicFrame = createRoute({ id: 'public', getParentRoute: () => root, component: PublicFrame, loader });
  const signedIn = createRoute({ id: 'signed-in', getParentRoute: () => root, component: SignedInFrame, loader });
  const routeOf = (page: PageEntry) =>
    createRoute({
      path: page.path,
      getParentRoute: () => (page.part === 'public' ? publicFrame : signedIn),
      component: lazyRouteComponent(pageFile(page.load)),
      staticData: { page },
    });
  const redirects = ['/', '/app'].map((path) =>
    createRoute({
      path,
      getParentRoute: () => root,
      beforeLoad: () => {
        throw redirect({ to: '/app/overview', replace: true });
      },
    }),
  );
  // Unknown paths render inside the frame, so that the navigation stays usable.
  const unknown = createRoute({ path: '/app/$', getParentRoute: () => signedIn, component: NotFound });
  return createRouter({
    routeTree: root.addChildren([
      ...redirects,
      publicFrame.addChildren(pages.filter(({ part }) => part === 'public').map(routeOf)),
      signedIn.addChildren([...pages.filter(({ part }) => part !== 'public').map(routeOf), unknown]),
    ]),
    parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
    stringifySearch: (search) => {
      const values = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
      return values.length === 0 ? '' : `?${new URLSearchParams(values.map(([name, value]) => [name, String(value)]))}`;
    },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultPendingComponent: PageLoading,
    defaultPendingMs: 200,
    defaultErrorComponent: CrashNotice,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
  });
}

function NotFound() {
  const { t } = useText();
  return (
    <EmptyState
      title={t('frame.notFoundTitle')}
      text={t('frame.notFoundText')}
      action={
        <ViewButton to="/app/overview" variant="default">
          {t('frame.goHome')}
        </ViewButton>
      }
    />
  );
}

/** Replaces a page that failed to render: shows the gateway's error, or a button to reload. */
function CrashNotice({ error }: ErrorComponentProps) {
  const { t } = useText();
  const [shown, setShown] = useState<unknown>(error);
  // If the gateway is unreachable, a reload would end at an error page of the browser.
  const reload = async () => {
    if (await isReachable()) location.reload();
    else setShown(ApiError.unreachable(error));
  };
  if (shown instanceof ApiError) return <ErrorNotice error={shown} onRetry={() => void reload()} />;
  return (
    <EmptyState
      icon={<WarningIcon size={24} />}
      title={t('common.crashTitle')}
      text={t('common.crashText')}
      action={<Button onClick={() => void reload()}>{t('common.reload')}</Button>}
    />
  );
}

/**
 * Loads the file of a page. If that fails, the router reloads the dashboard, because a newer version has other file
 * names. If the gateway is unreachable, a reload would end at the browser's error page and lose all typed text; so the
 * error becomes `unreachable`.
 */
function pageFile<File>(load: () => Promise<File>): () => Promise<File> {
  return async () => {
    try {
      return await load();
    } catch (cause) {
      throw (await isReachable()) ? cause : ApiError.unreachable(cause);
    }
  };
}
