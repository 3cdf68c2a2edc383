import { Combobox, Modal, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ComponentType, useEffect, useState } from 'react';
import { useAccountChoice } from '../../api/account.tsx';
import { type Page, useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import type { Account, Key, OwnModels } from '../../api/wire.ts';
import { useFocusReturn } from '../../components/dialog.tsx';
import { AccountsIcon, type IconProps, KeyIcon, ModelsIcon, RequestsIcon, SearchIcon } from '../../icons.tsx';
import { pages } from '../../routes.tsx';
import { type FixedTextKey, useText } from '../../text/text.tsx';
import classes from './palette.module.css';

/** Debounce: search only after a pause in typing. */
const pauseMs = 150;

/** One search field for all pages and their contents. */
export default function Palette({ onClose }: { readonly onClose: () => void }) {
  const { t } = useText();
  const navigate = useNavigate();
  useFocusReturn(true);
  // The combobox handles Escape itself, so closing it must close the palette.
  const combobox = useCombobox({ opened: true, onDropdownClose: onClose });
  const [text, setText] = useState('');
  const [query] = useDebouncedValue(text, pauseMs);
  const matches = usePaletteMatches(query);
  const { selectFirstOption } = combobox;
  const count = matches.length;
  useEffect(() => {
    if (count > 0) selectFirstOption();
  }, [query, count, selectFirstOption]);
  const open = (index: string) => {
    const match = matches[Number(index)];
    if (!match) return;
    onClose();
    void navigate({ to: match.to, ...(match.search && { search: match.search }) });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      size="lg"
      yOffset="12vh"
      title={t('palette.title')}
      classNames={{ header: classes['header'] ?? '' }}
    >
      <Combobox store={combobox} onOptionSubmit={open} withinPortal={false}>
        <Combobox.EventsTarget>
          <TextInput
            aria-label={t('palette.title')}
            placeholder={t('palette.placeholder')}
            leftSection={<SearchIcon />}
            variant="unstyled"
            size="lg"
            maxLength={200}
            data-autofocus
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
        </Combobox.EventsTarget>
        <div className={classes['list']}>
          <Combobox.Options aria-label={t('palette.found')}>
            {matches.map((match, index) => (
              <MatchOption key={`${match.to} ${match.name}`} match={match} index={index} />
            ))}
            {count === 0 && <Combobox.Empty>{t('palette.nothing')}</Combobox.Empty>}
          </Combobox.Options>
        </div>
      </Combobox>
    </Modal>
  );
}

function MatchOption({ match, index }: { readonly match: PaletteMatch; readonly index: number }) {
  const { t } = useText();
  const { icon: Icon, name, detail, kind } = match;
  return (
    <Combobox.Option value={String(index)} className={classes['option'] ?? ''}>
      <span className={classes['icon']}>{Icon && <Icon />}</span>
      <Text span truncate>
        {name}
      </Text>
      {detail !== undefined && (
        <Text span fz="sm" c="dimmed" truncate>
          {detail}
        </Text>
      )}
      <Text span fz="xs" c="dimmed" className={classes['kind'] ?? ''}>
        {t(kind)}
      </Text>
    </Combobox.Option>
  );
}

/** One search result and its address. */
interface PaletteMatch {
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
function usePaletteMatches(text: string): readonly PaletteMatch[] {
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
