import { keepPreviousData } from '@tanstack/react-query';
import { useAccountChoice } from '../../api/account.tsx';
import { type Page, useRead } from '../../api/queries.ts';
import type { Resource } from '../../api/resource.ts';
import { useSession } from '../../api/session.ts';
import type { Account, SearchMatch, SearchMatches } from '../../api/wire.ts';
import { accountName } from '../../components/names.ts';
import * as icons from '../../icons.tsx';
import { type PageEntry, pages } from '../../routes.tsx';
import { useText } from '../../text/text.tsx';
import { matchesWords, type PaletteMatch, type PaletteText, type Subject, type Target } from './match.ts';

/** Per kind. The user types more of the name to see others. */
export const eachMax = 6;

/** Pages with the words of the query in their name, or with a word of their address that begins with the query. */
export function usePagesNamed(query: string, p: PaletteText): readonly PaletteMatch[] {
  const { t } = useText();
  const { operator } = useSession();
  const { account } = useAccountChoice();
  const mayOpen = { account: account !== undefined, operator: operator !== null, settings: true, public: false };
  return pages
    .filter(({ part, path }) => mayOpen[part] && !path.includes('$'))
    .map((page) => ({
      id: page.path,
      kind: p(page.part === 'operator' ? 'operatorPage' : 'page'),
      name: t(page.title),
      icon: iconOf(page),
      opens: { to: page.path },
    }))
    .filter(({ name, id }) => matchesWords(name, query) || isAddressWord(id, query));
}

/** Whether the query is the beginning of a word of an address: the names of pages are in one language only. */
function isAddressWord(path: string, query: string): boolean {
  return path.split(/[/-]/).some((word) => word.startsWith(query.toLowerCase()));
}

/** The icon of the page, or of the page above it. */
function iconOf({ path }: PageEntry): PaletteMatch['icon'] {
  return pages.findLast((page) => page.nav && `${path}/`.startsWith(`${page.path}/`))?.nav?.icon;
}

export interface Contents {
  readonly matches: readonly PaletteMatch[];
  readonly isSearching: boolean;
  readonly hasFailed: boolean;
}

/** Things with this name or id: one request for those of the account, and one for an operator. */
export function useContents(query: string, p: PaletteText): Contents {
  const { operator } = useSession();
  const { account } = useAccountChoice();
  const params = { q: query.slice(0, 100) };
  // One letter matches nearly every name.
  const isLong = query.length >= 2;
  const options = { staleTime: 30_000, refetchInterval: false } as const;
  const own = useRead<SearchMatches>('/account/v1/search', params, {
    ...options,
    enabled: isLong && account !== undefined,
  });
  const all = useRead<SearchMatches>('/admin/v1/search', params, { ...options, enabled: isLong && operator !== null });
  const reads = [...(account ? [own] : []), ...(operator ? [all] : [])];
  if (!isLong) return { matches: [], isSearching: false, hasFailed: false };
  return {
    matches: [
      ...(account ? (own.data?.data ?? []) : []).map((found) => ownMatch(found, p)),
      ...(operator ? (all.data?.data ?? []) : []).map((found) => operatorMatch(found, p)),
    ],
    isSearching: reads.some(({ isFetching }) => isFetching),
    hasFailed: reads.some(({ error }) => error !== null),
  };
}

function ownMatch({ kind, id, name, detail }: SearchMatch, p: PaletteText): PaletteMatch {
  const segment = encodeURIComponent(id);
  const targets: Readonly<Partial<Record<SearchMatch['kind'], readonly [string, Target, PaletteMatch['icon']]>>> = {
    key: [p('key'), { to: '/app/keys', search: { q: detail ?? name } }, icons.KeyIcon],
    request: [p('request'), { to: `/app/requests/${segment}` }, icons.RequestsIcon],
    model: [p('model'), { to: `/app/models/${segment}` }, icons.ModelsIcon],
  };
  const [label, opens, icon] = targets[kind] ?? [p('payment'), { to: '/app/billing' }, icons.BillingIcon];
  return { id: `own ${kind} ${id}`, kind: label, name, detail: detail ?? undefined, icon, opens };
}

function operatorMatch({ kind, id, name, detail, account_id: owner }: SearchMatch, p: PaletteText): PaletteMatch {
  const segment = encodeURIComponent(id);
  const account = `/app/operator/accounts/${encodeURIComponent(owner ?? id)}`;
  const targets: Readonly<Record<SearchMatch['kind'], readonly [string, Target, PaletteMatch['icon']]>> = {
    account: [p('account'), { to: account }, icons.AccountsIcon],
    key: [p('accountKey'), { to: account, search: { tab: 'keys' } }, icons.KeyIcon],
    payment: [p('anyPayment'), { to: account, search: { tab: 'ledger' } }, icons.BillingIcon],
    request: [p('anyRequest'), { to: `/app/operator/requests/${segment}` }, icons.RequestsIcon],
    model: [p('operatorModel'), { to: `/app/operator/models/${segment}` }, icons.RoutesIcon],
    upstream: [p('upstream'), { to: `/app/operator/upstreams/${segment}` }, icons.UpstreamsIcon],
    code_batch: [p('codeBatch'), { to: `/app/operator/codes/${segment}` }, icons.CodesIcon],
  };
  const [label, opens, icon] = targets[kind];
  return { id: `operator ${kind} ${id}`, kind: label, name, detail: detail ?? undefined, icon, opens };
}

/**
 * The accounts or upstreams that an action may apply to. `query` filters the rows of the search for `paused` at once, so
 * that Enter never chooses an object that does not have the typed name.
 */
export function useSubjects(
  subject: Subject | undefined,
  { query, paused }: { readonly query: string; readonly paused: string },
  p: PaletteText,
): Contents {
  const options = { placeholderData: keepPreviousData } as const;
  const accounts = useRead<Page<Account>>(
    '/admin/v1/accounts',
    { q: paused.slice(0, 64), status: subject?.status, limit: eachMax * 2 },
    { ...options, enabled: subject?.kind === 'account' },
  );
  const upstreams = useRead<Page<Resource>>(
    '/admin/v1/upstreams',
    { limit: 200 },
    { ...options, enabled: subject?.kind === 'upstream' },
  );
  if (subject === undefined) return { matches: [], isSearching: false, hasFailed: false };
  const read = subject.kind === 'account' ? accounts : upstreams;
  const of = (name: string, path: string): PaletteMatch => ({
    id: path,
    kind: p(subject.kind),
    name,
    icon: subject.kind === 'account' ? icons.AccountsIcon : icons.UpstreamsIcon,
    opens: { to: path, search: subject.search },
  });
  const matches =
    subject.kind === 'account'
      ? (accounts.data?.data ?? [])
          .filter(({ name, display_name: display }) => matchesWords(`${name} ${display ?? ''}`, query))
          .map((each) => of(accountName(each), `/app/operator/accounts/${encodeURIComponent(each.id)}`))
      : (upstreams.data?.data ?? [])
          .filter(({ name }) => matchesWords(name, query))
          .map(({ name }) => of(name, `/app/operator/upstreams/${encodeURIComponent(name)}`));
  return { matches, isSearching: read.isFetching && !read.data, hasFailed: read.error !== null };
}
