import { Autocomplete, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import type { Resource } from '../../api/resource.ts';
import type { Account, Key } from '../../api/wire.ts';
import { type Page, useAllRows, useRead } from '../../api/queries.ts';
import { useFilters } from '../../components/filter-bar.tsx';
import { useText } from '../../text/text.tsx';
import classes from './routes.module.css';

/** Chooses an account, one of its keys, and a domain. All three are in the URL. */
export function CatalogChoice() {
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
