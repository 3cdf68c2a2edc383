import { keepPreviousData } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { useAccountChoice } from '../../api/account.tsx';
import type { Page } from '../../api/page.ts';
import { useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import type { Account, Key, OwnModels } from '../../api/wire.ts';
import { AccountsIcon, type IconProps, KeyIcon, ModelsIcon, RequestsIcon } from '../../icons.tsx';
import { pages } from '../../routes.tsx';
import { type PlainKey, useText } from '../../text/text.tsx';

/** One search result and its address. */
export interface PaletteMatch {
  readonly kind: PlainKey;
  readonly name: string;
  readonly detail?: string | undefined;
  readonly icon: ComponentType<IconProps> | undefined;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
}

/** Per kind. The user types more of the name to see others. */
const eachMax = 6;

/** Everything whose name contains the text, as far as this user may see it: pages first, then their contents. */
export function useFindings(text: string): readonly PaletteMatch[] {
  const wanted = text.trim();
  const found = [useModels(wanted), useKeys(wanted), useAccounts(wanted)];
  return [usePagesNamed(wanted), useRequest(wanted), ...found].flatMap((each) => each.slice(0, eachMax));
}

function usePagesNamed(wanted: string): readonly PaletteMatch[] {
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
    .filter(({ name, to }) => includes(name, wanted) || includes(to.slice('/app/'.length), wanted));
}

/** The icon of the page, or of the page above it. */
function iconOf(path: string): PaletteMatch['icon'] {
  const bearer = pages.findLast((page) => page.icon && `${path}/`.startsWith(`${page.path}/`));
  return bearer?.icon;
}

/** A request id, or the id of a response, which ends with it. */
const requestId = /^(?:(?:chatcmpl|cmpl|msg|resp)[-_])?(\d{17}[0-9a-z]{10})$/;

function useRequest(wanted: string): readonly PaletteMatch[] {
  const { operator } = useSession();
  const { account } = useAccountChoice();
  const id = requestId.exec(wanted)?.[1];
  if (id === undefined) return [];
  const found = { kind: 'palette.request', name: id, icon: RequestsIcon } as const;
  return [
    ...(account ? [{ ...found, to: `/app/requests/${id}` }] : []),
    ...(operator ? [{ ...found, kind: 'palette.anyRequest' as const, to: `/app/operator/requests/${id}` }] : []),
  ];
}

function useModels(wanted: string): readonly PaletteMatch[] {
  const { account } = useAccountChoice();
  const { data } = useRead<OwnModels>(
    '/account/v1/models',
    {},
    { enabled: account !== undefined && wanted !== '', staleTime: 60_000 },
  );
  return (data?.data ?? [])
    .filter(({ id, aliases }) => wanted !== '' && [id, ...aliases].some((name) => includes(name, wanted)))
    .map(({ id }) => ({
      kind: 'palette.model',
      name: id,
      icon: ModelsIcon,
      to: `/app/models/${encodeURIComponent(id)}`,
    }));
}

function useKeys(wanted: string): readonly PaletteMatch[] {
  const { account } = useAccountChoice();
  const { query, isLong } = searching(wanted);
  const enabled = isLong && account !== undefined;
  const { data } = useRead<Page<Key>>('/account/v1/keys', query, { enabled, placeholderData: keepPreviousData });
  return (enabled ? (data?.data ?? []) : []).map(({ name, display }) => ({
    kind: 'palette.key',
    name,
    detail: display,
    icon: KeyIcon,
    to: '/app/keys',
    search: { q: name },
  }));
}

function useAccounts(wanted: string): readonly PaletteMatch[] {
  const { operator } = useSession();
  const { query, isLong } = searching(wanted);
  const enabled = isLong && operator !== null;
  const { data } = useRead<Page<Account>>('/admin/v1/accounts', query, { enabled, placeholderData: keepPreviousData });
  return (enabled ? (data?.data ?? []) : []).map(({ id, name }) => ({
    kind: 'palette.account',
    name,
    icon: AccountsIcon,
    to: `/app/operator/accounts/${id}`,
  }));
}

/** The query for a list that searches on the server. One letter matches nearly every name, so it needs two. */
function searching(wanted: string) {
  return { query: { q: wanted.slice(0, 64), limit: eachMax }, isLong: wanted.length >= 2 };
}

function includes(name: string, wanted: string): boolean {
  return name.toLowerCase().includes(wanted.toLowerCase());
}
