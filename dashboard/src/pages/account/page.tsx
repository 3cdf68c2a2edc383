import { Alert, Group, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import type { Account } from '../../api/wire.ts';
import { refetchMs, useRead } from '../../api/queries.ts';
import { AccountState, OwnedByFile } from '../../components/cells.tsx';
import { useFilters } from '../../components/filter-bar.tsx';
import { accountName } from '../../components/names.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { BackLink } from '../../components/view-links.tsx';
import { When } from '../../components/when.tsx';
import { WarningIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { AccountActions } from './account-actions.tsx';
import { AccountFigures } from './account-figures.tsx';
import { KeysTab } from './keys-tab.tsx';
import { LedgerTab } from './ledger-tab.tsx';
import { MembersTab } from './members-tab.tsx';
import { UsageTab } from './usage-tab.tsx';

/** One account as an operator sees it. The URL contains the open tab. */
export default function AccountPage() {
  const { t } = useText();
  const { id = '' } = useParams({ strict: false });
  const {
    data: account,
    error,
    refetch,
  } = useRead<Account>(`/admin/v1/accounts/${encodeURIComponent(id)}`, {}, { refetchInterval: refetchMs });
  const back = <BackLink to="/app/operator/accounts">{t('accounts.all')}</BackLink>;
  if (error && !account) {
    return (
      <>
        {back}
        <PageHeader title={t('accounts.one')} />
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      </>
    );
  }
  return (
    <>
      {back}
      <PageHeader
        withAge
        title={account ? accountName(account) : <Skeleton height={28} width={180} />}
        description={account && <Facts account={account} />}
        actions={account && <AccountActions account={account} />}
      />
      <Stack gap="lg">
        {account?.status === 'suspended' && (
          <Alert color="red" icon={<WarningIcon />} role="status">
            {t('accounts.suspendedNotice')}
          </Alert>
        )}
        <AccountFigures id={id} account={account} />
        {account && <AccountTabs account={account} />}
      </Stack>
    </>
  );
}

function Facts({ account }: { readonly account: Account }) {
  const { t } = useText();
  return (
    <Group gap="4px 16px" mt={4}>
      <AccountState status={account.status} />
      <OwnedByFile source={account.source} />
      {account.display_name !== null && <Text fz="sm">{t('accounts.calledInCommands', { name: account.name })}</Text>}
      <Text fz="sm">
        {t('accounts.package')}: {account.package}
      </Text>
      <Text fz="sm">
        {t('accounts.created')} <When at={account.created_at} as="date" />
      </Text>
    </Group>
  );
}

function AccountTabs({ account }: { readonly account: Account }) {
  const { t } = useText();
  const [{ tab = 'usage' }, change] = useFilters(['tab', 'kind']);
  return (
    <Tabs value={tab} onChange={(chosen) => change({ tab: chosen ?? undefined, kind: undefined })} keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="usage">{t('accounts.tabUsage')}</Tabs.Tab>
        <Tabs.Tab value="keys">{t('accounts.tabKeys')}</Tabs.Tab>
        <Tabs.Tab value="ledger">{t('accounts.tabLedger')}</Tabs.Tab>
        <Tabs.Tab value="members">{t('accounts.tabMembers')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="usage">
        <UsageTab account={account} />
      </Tabs.Panel>
      <Tabs.Panel value="keys">
        <KeysTab account={account} />
      </Tabs.Panel>
      <Tabs.Panel value="ledger">
        <LedgerTab accountId={account.id} />
      </Tabs.Panel>
      <Tabs.Panel value="members">
        <MembersTab accountId={account.id} />
      </Tabs.Panel>
    </Tabs>
  );
}
