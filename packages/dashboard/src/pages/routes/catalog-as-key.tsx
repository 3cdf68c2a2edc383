import { Alert, Autocomplete, Badge, Group, Select, Skeleton, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Resource } from '../../api/resource.ts';
import type { Account, CatalogView, Key } from '../../api/wire.ts';
import { asPages, type Page, useAllRows, useRead } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useFilters } from '../../components/filters.ts';
import { KeyIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { useModelRows } from './model-rows.ts';
import { surfaceName } from './model-values.ts';
import classes from './routes.module.css';

/** The catalog as a key sees it on a domain, and the models that are hidden from it. */
export function CatalogAsKey() {
  const { t } = useText();
  const [{ key, domain }] = useFilters(['key', 'domain']);
  const isChosen = key !== undefined && domain !== undefined;
  const view = useRead<CatalogView>('/admin/v1/catalog', { key, domain }, { enabled: isChosen });
  return (
    <>
      <CatalogChoice />
      {!isChosen && <EmptyState icon={<KeyIcon />} title={t('routes.viewTitle')} text={t('routes.viewText')} />}
      <ErrorNotice error={view.error} onRetry={() => void view.refetch()} />
      {isChosen && !view.data && !view.error && <Skeleton height={240} radius="lg" />}
      {isChosen && view.data && <VisibleModel view={view.data} domain={domain} />}
    </>
  );
}

type VisibleModel = CatalogView['models'][number];

function VisibleModel({ view, domain }: { readonly view: CatalogView; readonly domain: string }) {
  const { t } = useText();
  const { rows } = useModelRows();
  const seen = new Set(view.models.map(({ id }) => id));
  const hidden = rows?.filter(({ entry }) => !seen.has(entry.name)) ?? [];
  const columns: readonly Column<VisibleModel>[] = [
    {
      key: 'id',
      header: t('routes.model'),
      cell: ({ id, aliases }) => (
        <span>
          {id}
          {aliases.length > 0 && <span className={classes['sub']}>{aliases.join(', ')}</span>}
        </span>
      ),
    },
    { key: 'owner', header: t('routes.ownedBy'), cell: ({ owned_by }) => owned_by },
    {
      key: 'surfaces',
      header: t('routes.surfaces'),
      cell: ({ surfaces }) => (
        <Group gap={4}>
          {surfaces.map((surface) => (
            <Badge key={surface} color="gray">
              {surfaceName(surface, t)}
            </Badge>
          ))}
        </Group>
      ),
    },
  ];
  return (
    <Stack gap="lg">
      {view.key_state !== 'active' && (
        <Alert color="red">{t('routes.keyNotActive', { state: t(keyStates[view.key_state]) })}</Alert>
      )}
      {view.site === null && <Alert color="yellow">{t('routes.noSite', { domain })}</Alert>}
      {view.site !== null && (
        <Text c="dimmed">{t('routes.seenOn', { site: view.site, count: view.models.length })}</Text>
      )}
      <DataTable
        label={t('routes.viewTab')}
        columns={columns}
        pages={asPages({ data: view.models })}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/app/operator/models/${encodeURIComponent(id)}`}
        empty={<EmptyState title={t('routes.seesNothingTitle')} text={t('routes.seesNothingText')} />}
      />
      {hidden.length > 0 && (
        <section>
          <Text fw={560} mb={4}>
            {t('routes.hidden', { count: hidden.length })}
          </Text>
          <ul className={classes['chips']}>
            {hidden.slice(0, 60).map(({ entry: { name } }) => (
              <li key={name}>
                <Link to={`/app/operator/models/${encodeURIComponent(name)}`} className={classes['chip']}>
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
    </Stack>
  );
}

const keyStates = {
  active: 'routes.keyActive',
  expired: 'routes.keyExpired',
  revoked: 'routes.keyRevoked',
  suspended: 'routes.keySuspended',
} as const;

/** Chooses an account, one of its keys, and a domain. All three are in the URL. */
function CatalogChoice() {
  const { t } = useText();
  const [{ account, key }, change] = useFilters(['account', 'key', 'domain']);
  const keys = useRead<Page<Key>>('/admin/v1/keys', { account, limit: 200 }, { enabled: account !== undefined });
  return (
    <div className={classes['choose']}>
      <AccountChoice value={account} onChange={(id) => change({ account: id, key: undefined })} />
      <Select
        label={t('routes.key')}
        placeholder={account === undefined ? t('routes.accountFirst') : t('routes.chooseKey')}
        disabled={account === undefined}
        data={keys.data?.data.map(({ id, name, display }) => ({ value: id, label: `${name} · ${display}` })) ?? []}
        value={key ?? null}
        onChange={(id) => change({ key: id ?? undefined })}
        nothingFoundMessage={t('routes.noKeys')}
        searchable
      />
      <DomainChoice />
    </div>
  );
}

interface AccountChoiceProps {
  readonly value: string | undefined;
  readonly onChange: (id: string | undefined) => void;
}

function AccountChoice({ value, onChange }: AccountChoiceProps) {
  const { t } = useText();
  const [search, setSearch] = useState('');
  const [query] = useDebouncedValue(search.trim(), 250);
  const found = useRead<Page<Account>>(
    '/admin/v1/accounts',
    { q: query, limit: 50 },
    { placeholderData: (before) => before },
  );
  const chosen = useRead<Account>(
    `/admin/v1/accounts/${encodeURIComponent(value ?? '')}`,
    {},
    { enabled: value !== undefined },
  );
  const accounts = found.data?.data ?? [];
  const offered = chosen.data && !accounts.some(({ id }) => id === value) ? [chosen.data, ...accounts] : accounts;
  return (
    <Select
      label={t('frame.account')}
      placeholder={t('routes.searchAccount')}
      data={offered.map(({ id, name }) => ({ value: id, label: name }))}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
      onSearchChange={(text) => setSearch(text === chosen.data?.name ? '' : text)}
      filter={({ options }) => options}
      searchable
    />
  );
}

/** Any host name is allowed; those of the sites are suggested. */
function DomainChoice() {
  const { t } = useText();
  const sites = useAllRows<Resource<{ readonly domains?: readonly string[] }>>('/admin/v1/sites');
  const [{ domain = '' }, change] = useFilters(['domain']);
  const [written, setWritten] = useState(domain);
  const [settled] = useDebouncedValue(written.trim(), 400);
  useEffect(() => {
    if (settled !== domain) change({ domain: settled });
    // One-way: typed text goes into the URL, and a change of the URL does not change the field.
  }, [settled]);
  const domains = [...new Set(sites.data?.flatMap(({ spec }) => spec.domains ?? []))];
  return (
    <Autocomplete
      label={t('routes.domain')}
      placeholder="api.example.com"
      data={domains.filter((each) => !each.includes('*'))}
      value={written}
      onChange={setWritten}
    />
  );
}
