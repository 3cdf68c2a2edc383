import { Switch } from '@mantine/core';
import { useState } from 'react';
import type { Key } from '../../api/wire.ts';
import { useAccount } from '../../api/account.tsx';
import { useOwnAccount } from '../../api/own-account.ts';
import { usePages } from '../../api/queries.ts';
import { FilterBar } from '../../components/filter-bar.tsx';
import { useFilters } from '../../components/filters.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { AddButton } from '../../components/view-links.tsx';
import { useText } from '../../text/text.tsx';
import { CreateKey } from './create-key.tsx';
import { KeyTable } from './key-table.tsx';
import { type KeyDialog, KeyDialogs } from './key-dialogs.tsx';
import { ownScope } from './key-scope.ts';
import { CapTimeZone } from './renewal-clock.tsx';

/** With fewer keys, no search field is shown. */
const searchedFrom = 8;

/** The keys of the account and their actions. */
export default function KeysPage() {
  const { t } = useText();
  const { mayWrite } = useAccount();
  const account = useOwnAccount();
  const scope = ownScope(account?.time_zone);
  const [values, change] = useFilters(['new', 'ended', 'q']);
  const [dialog, setDialog] = useState<KeyDialog>();
  const pages = usePages<Key>('/account/v1/keys', { limit: 200, order: 'newest', q: values.q });
  const create = () => change({ new: 'key' }, { as: 'step' });
  const close = () => setDialog(undefined);
  const hasEnded = pages.rows?.some(({ state }) => state !== 'active') ?? false;
  return (
    <>
      <PageHeader
        withAge
        title={t('nav.keys')}
        description={t('keys.description')}
        actions={mayWrite && <AddButton onClick={create}>{t('keys.create')}</AddButton>}
      />
      {(values.q !== undefined || (pages.rows?.length ?? 0) > searchedFrom) && (
        <FilterBar fields={[{ name: 'q', label: t('keys.search'), width: 240 }]} />
      )}
      {hasEnded && (
        <Switch
          mb="md"
          label={t('keys.showEnded')}
          checked={values.ended !== undefined}
          onChange={({ currentTarget }) => change({ ended: currentTarget.checked ? 'shown' : undefined })}
        />
      )}
      <KeyTable
        scope={scope}
        pages={pages}
        mayWrite={mayWrite}
        status={account?.status}
        withEnded={values.ended !== undefined}
        onCreate={mayWrite ? create : undefined}
        onAction={(action, key) => setDialog({ action, key })}
      />
      {account && pages.rows?.some(({ cap_period: period }) => period !== null) && (
        <CapTimeZone account={account} path="/account/v1/account" mayChange={mayWrite} />
      )}
      {mayWrite && values.new !== undefined && (
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
