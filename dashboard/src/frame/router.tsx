import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import type { QueryClient } from '@tanstack/react-query';
import { sessionQuery } from '../api/session.ts';
import { type PageEntry, pages } from '../routes.tsx';
import { CrashNotice } from './crash-notice.tsx';
import { NotFound } from './not-found.tsx';
import { pageFile } from './page-file.ts';
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
