import { useLocation, useMatches } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useAccountChoice } from '../api/account.tsx';
import { useSession } from '../api/session.ts';
import { readFromTab, storeInTab } from '../remembered.ts';
import { type PageEntry, pages } from '../routes.tsx';

/** The navigation lists the pages of the chosen account, or those of the operator. */
export type Mode = 'account' | 'operator';

/** The mode of the shown page, and the modes that this user may choose. */
export function useMode(): { readonly mode: Mode; readonly modes: readonly Mode[] } {
  const { pathname } = useLocation();
  const { operator } = useSession();
  const { account } = useAccountChoice();
  const modes: readonly Mode[] = [
    ...(account || !operator ? (['account'] as const) : []),
    ...(operator ? (['operator'] as const) : []),
  ];
  const ofPath = modeOfPath(pathname);
  const isKnown = useMatches().at(-1)?.staticData.page !== undefined;
  useEffect(() => {
    if (isKnown) storeInTab(`page.${ofPath}`, pathname);
  }, [isKnown, ofPath, pathname]);
  const [only = ofPath] = modes;
  return { mode: modes.includes(ofPath) ? ofPath : only, modes };
}

/** The page of a mode that this tab showed last, or the first one. */
export function lastPageOf(mode: Mode): string {
  const last = readFromTab(`page.${mode}`);
  return typeof last === 'string' ? last : mode === 'operator' ? '/app/operator/overview' : '/app/overview';
}

function modeOfPath(path: string): Mode {
  return path.startsWith('/app/operator') ? 'operator' : 'account';
}

type PageGroupName = NonNullable<PageEntry['nav']>['group'];

/** The listed pages of a mode, by group, as far as this user may see them. */
export function usePageGroups(mode: Mode): ReadonlyMap<PageGroupName, readonly PageEntry[]> {
  const { account } = useAccountChoice();
  const { organisations } = useSession();
  const listed = pages.filter(
    ({ part, nav, isForOwners, isForOrganisations }) =>
      nav &&
      (mode === 'operator' ? part === 'operator' : part === 'settings' || (part === 'account' && account)) &&
      (!isForOwners || account?.role === 'owner') &&
      (!isForOrganisations || organisations.length > 0),
  );
  return Map.groupBy(listed, ({ nav }): PageGroupName => nav?.group ?? 'home');
}
