import { Switch } from '@mantine/core';
import { useState } from 'react';
import type { Key } from '../../api/wire.ts';
import { useAccount } from '../../api/account.tsx';
import { useOwnAccount } from '../../api/own-account.ts';
import { usePages } from '../../api/queries.ts';
import { FilterBar } from '../../components/filter-bar.tsx';
import { useFilters } from '../../components/filters.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { useTableView } from '../../components/table-view.ts';
import { AddButton } from '../../components/view-links.tsx';
import { ViewMenu } from '../../components/view-menu.tsx';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { CreateKey } from './create-key.tsx';
import { useKeyColumns } from './key-columns.tsx';
import { KeyTable, shownKeys } from './key-table.tsx';
import { type KeyDialog, KeyDialogs } from './key-dialogs.tsx';
import { useOwnScope } from './key-scope.ts';
import { CapTimeZone } from './renewal-clock.tsx';
import { texts } from './texts.ts';

/** With fewer keys, no search field is shown. */
const searchedFrom = 8;

/** The keys of the account and their actions. */
export default function KeysPage() {
  const { t } = useText();
  const p = usePageText(texts);
  const { mayWrite } = useAccount();
  const account = useOwnAccount();
  const scope = useOwnScope();
  const [values, change] = useFilters(['new', 'ended', 'q']);
  const [dialog, setDialog] = useState<KeyDialog>();
  const pages = usePages<Key>('/account/v1/keys', { limit: 200, order: 'newest', q: values.q });
  const view = useTableView('keys');
  const isSuspended = account?.status === 'suspended';
  const create = mayWrite && (
    <AddButton
      obstacle={isSuspended ? p('askToResume') : undefined}
      onClick={() => change({ new: 'key' }, { as: 'step' })}
    >
      {t('keys.create')}
    </AddButton>
  );
  const close = () => setDialog(undefined);
  const columns = useKeyColumns({
    scope,
    mayWrite,
    status: account?.status,
    onAction: (action, key) => setDialog({ action, key }),
  });
  const isSearched = values.q !== undefined || (pages.rows?.length ?? 0) > searchedFrom;
  const hasEnded = pages.rows?.some(({ state }) => state !== 'active') ?? false;
  const withEnded = values.ended !== undefined;
  const isNoneFound = values.q !== undefined && pages.rows?.length === 0;
  const isEmpty = !isNoneFound && shownKeys(pages, withEnded)?.length === 0;
  return (
    <>
      <PageHeader withAge title={t('nav.keys')} description={t('keys.description')} actions={!isEmpty && create} />
      <FilterBar
        fields={isSearched ? [{ name: 'q', label: t('keys.search'), width: 240, isSearch: true }] : []}
        tools={<ViewMenu view={view} columns={columns} />}
      >
        {hasEnded && (
          <Switch
            label={t('keys.showEnded')}
            checked={withEnded}
            onChange={({ currentTarget }) => change({ ended: currentTarget.checked ? 'shown' : undefined })}
          />
        )}
      </FilterBar>
      <KeyTable
        scope={scope}
        pages={pages}
        mayWrite={mayWrite}
        withEnded={withEnded}
        isNoneFound={isNoneFound}
        view={view}
        columns={columns}
        create={create}
      />
      {account && pages.rows?.some(({ cap_period: period }) => period !== null) && (
        <CapTimeZone account={account} path="/account/v1/account" mayChange={mayWrite} />
      )}
      {mayWrite && !isSuspended && values.new !== undefined && (
        <CreateKey
          scope={scope}
          isInAddress
          suggestedName={values.new === 'first' ? t('keys.firstName') : ''}
          onClose={() => change({ new: undefined })}
        />
      )}
      <KeyDialogs scope={scope} dialog={dialog} onClose={close} />
    </>
  );
}
