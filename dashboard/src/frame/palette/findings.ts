import { keepPreviousData } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { useAccountChoice } from '../../api/account.tsx';
import type { Page } from '../../api/page.ts';
import { useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import type { Account, Key, OwnModels } from '../../api/wire.ts';
import { AccountsIcon, type IconProps, KeyIcon, ModelsIcon, RequestsIcon } from '../../icons.tsx';
import { pages } from '../../routes.tsx';
import { type FixedTextKey, useText } from '../../text/text.tsx';

/** One search result and its address. */
export interface PaletteMatch {
  readonly kind: FixedTextKey;
  readonly name: string;
  readonly detail?: string | undefined;
  readonly icon: ComponentType<IconProps> | undefined;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
}

/** Per kind. The user types more of the name to see others. */
const eachMax = 6;

/** Everything whose name contains the text, as far as this user may see it: pages first, then their contents. */
export function usePaletteMatches(text: string): readonly PaletteMatch[] {
  const query = text.trim();
  const contents = [useModels(query), useKeys(query), useAccounts(query)];
  return [usePagesNamed(query), useRequest(query), ...contents].flatMap((each) => each.slice(0, eachMax));
}

function usePagesNamed(query: string): readonly PaletteMatch[] {
  const { t } = useText();
  const { operator } = useSession();
  const { account } = useAccountChoice();
  const mayOpen = { account: account !== undefined, operator: operator !== null, settings: true, public: false };
  return pages
    .filter(({ part, path }) => mayOpen[part] && !path.includes('$'))
    .map(({ title, path, part }) => ({
      kind: part === 'operator' ? ('frame.operatorPart' as const) : ('palette.page' as const),
      name: t(title),
      icon: iconOf(path),
      to: path,
    }))
    .filter(({ name, to }) => includes(name, query) || includes(to.slice('/app/'.length), query));
}

/** The icon of the page, or of the page above it. */
function iconOf(path: string): PaletteMatch['icon'] {
  const owner = pages.findLast((page) => page.icon && `${path}/`.startsWith(`${page.path}/`));
  return owner?.icon;
}

/** A request id, or the id of a response, which ends with it. */
const requestId = /^(?:(?:chatcmpl|cmpl|msg|resp)[-_])?(\d{17}[0-9a-z]{10})$/;

function useRequest(query: string): readonly PaletteMatch[] {
  const { operator } = useSession();
  const { account } = useAccountChoice();
  const id = requestId.exec(query)?.[1];
  if (id === undefined) return [];
  const match = { kind: 'palette.request', name: id, icon: RequestsIcon } as const;
  return [
    ...(account ? [{ ...match, to: `/app/requests/${id}` }] : []),
    ...(operator ? [{ ...match, kind: 'palette.anyRequest' as const, to: `/app/operator/requests/${id}` }] : []),
  ];
}

function useModels(query: string): readonly PaletteMatch[] {
  const { account } = useAccountChoice();
  const { data } = useRead<OwnModels>(
    '/account/v1/models',
    {},
    { enabled: account !== undefined && query !== '', staleTime: 60_000 },
  );
  return (data?.data ?? [])
    .filter(({ id, aliases }) => query !== '' && [id, ...aliases].some((name) => includes(name, query)))
    .map(({ id }) => ({
      kind: 'palette.model',
      name: id,
      icon: ModelsIcon,
      to: `/app/models/${encodeURIComponent(id)}`,
    }));
}

function useKeys(query: string): readonly PaletteMatch[] {
  const { account } = useAccountChoice();
  const { params, isLong } = searchParams(query);
  const enabled = isLong && account !== undefined;
  const { data } = useRead<Page<Key>>('/account/v1/keys', params, { enabled, placeholderData: keepPreviousData });
  return (enabled ? (data?.data ?? []) : []).map(({ name, display }) => ({
    kind: 'palette.key',
    name,
    detail: display,
    icon: KeyIcon,
    to: '/app/keys',
    search: { q: name },
  }));
}

function useAccounts(query: string): readonly PaletteMatch[] {
  const { operator } = useSession();
  const { params, isLong } = searchParams(query);
  const enabled = isLong && operator !== null;
  const { data } = useRead<Page<Account>>('/admin/v1/accounts', params, { enabled, placeholderData: keepPreviousData });
  return (enabled ? (data?.data ?? []) : []).map(({ id, name }) => ({
    kind: 'palette.account',
    name,
    icon: AccountsIcon,
    to: `/app/operator/accounts/${id}`,
  }));
}

/** The query for a list that searches on the server. One letter matches nearly every name, so it needs two. */
function searchParams(query: string) {
  return { params: { q: query.slice(0, 64), limit: eachMax }, isLong: query.length >= 2 };
}

function includes(name: string, query: string): boolean {
  return name.toLowerCase().includes(query.toLowerCase());
}
